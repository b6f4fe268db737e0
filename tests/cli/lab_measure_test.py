#!/usr/bin/env python3
"""Experiments measured with real requests: against the library in process and against servers, signed, over HTTP and TLS; what a
person sees, what programs get, and how a run is stopped.

    lab_measure_test.py <dynolith binary> [unittest arguments]
"""

import csv
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import cli_test
from cli_test import SECONDS

SMALL = """
[experiment]
title = "Small"
duration = "1s"
[[table]]
name = "posts"
partition_key = "post"
sort_key = "line"
item_size = 200
[keys.post]
distribution = "uniform"
count = 20
[load]
rate = 50
[[access]]
name = "read"
operation = "Query"
items = 5
key.post = "post"
[[access]]
name = "like"
operation = "UpdateItem"
key.post = "post"
"""


class Measure(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "experiment.toml"
        self.file.write_text(SMALL)

    def measure(self, *arguments, code=0, environment=None):
        command = [cli_test.BINARY, "lab", "measure", str(self.file), "--warmup", "0", *arguments]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **(environment or {})})
        self.assertEqual(shown.returncode, code, shown)
        return shown.stdout if code in (0, 3, 130) else shown.stderr

    def measure_whole(self, *arguments, **more):
        """What was printed, and the result. A run in which a busy machine comes to nothing of some access is made again, and longer."""
        path = self.folder / "result.json"
        for seconds in (1, 4, 16, 64):
            shown = self.measure("--json", str(path), "--duration", str(seconds), *arguments, **more)
            result = json.loads(path.read_text())
            if all(sum(access["served"]) for access in result["designs"][0]["accesses"]):
                break
        self.check(result)
        return shown, result

    def serve(self, *arguments):
        """The port of a server that knows AKID."""
        credentials = self.folder / "credentials"
        credentials.write_text("AKID secret\n")
        credentials.chmod(0o600)
        process = subprocess.Popen([cli_test.BINARY, "serve", "--memory", "--port", "0", "--auth", "verify", "--credentials",
                                    str(credentials), *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return re.search(r":(\d+)", process.stdout.readline()).group(1)

    KNOWN = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-west-1"}

    def check(self, result):
        design = result["designs"][0]
        # What was due at the very end may be left over on a busy machine; nothing else fails.
        self.assertLessEqual({kind for access in design["accesses"] for kind in access["errors_by"]}, {"not sent before the end"})
        for access in design["accesses"]:
            self.assertGreater(sum(access["served"]), 0)
            whole = access["latency"]["whole_run"]
            self.assertLessEqual(whole["p50"], whole["p99"])
            self.assertLessEqual(whole["p99"], whole["max"])
            self.assertEqual(sum(access["latency"]["requests"]), whole["requests"])
        resource = design["resources"][0]
        self.assertGreater(sum(resource["read"]["units"]), 0)
        self.assertGreater(sum(resource["write"]["units"]), 0)
        self.assertTrue(resource["hottest"][0]["key"].startswith("post#"))


class Library(Measure):
    def test_summary_csv_and_json(self):
        shown, result = self.measure_whole("--csv", str(self.folder / "csv"))
        self.assertRegex(shown, r"\n    latency, ms +p50 +p90 +p99 +p99.9 +p99.99 +max")
        self.assertIn("measured on the library in this process, in memory", shown)
        said = re.findall(r"The load generator kept up|The load generator itself was|The schedule was not kept", shown)
        self.assertEqual(len(said), 1, shown)
        self.assertIn("Items that were loaded before the run: 100.", shown)
        with (self.folder / "csv" / "latencies.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual({row["access"] for row in rows}, {"read", "like"})
        requests = sum(int(row["requests"]) for row in rows)
        self.assertEqual(requests, sum(access["latency"]["whole_run"]["requests"] for access in result["designs"][0]["accesses"]))

    def test_expectations(self):
        self.file.write_text(SMALL.replace('title = "Small"', 'title = "Small"\nexpect = { p99 = 0.000001 }'))
        self.assertRegex(self.measure(code=3), r"NOT as expected: p99 of each access at most <0\.01 ms, found [\d.,]+ ms of (read|like)\.")

    def test_data_that_stays(self):
        data = str(self.folder / "data")
        self.measure("--data", data, "--keep", "--duration", "1")
        self.assertIn("there is a table lab-posts already", self.measure("--data", data, "--duration", "1", code=1))
        self.measure("--data", data, "--prefix", "other-", "--duration", "1")

    def test_ctrl_c_shows_what_there_is(self):
        # Nothing tells from outside that the run has begun: where it had not, the next gets more time.
        for seconds in (1, 2, 4, 8, 16, 32):
            process = subprocess.Popen([cli_test.BINARY, "lab", "measure", str(self.file), "--duration", "600", "--warmup", "0"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            cli_test.wait_until_caught(process, signal.SIGINT)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            shown, errors = process.communicate(timeout=SECONDS)
            if shown:
                break
        self.assertEqual((process.returncode, errors), (130, ""))
        self.assertIn("Stopped before its end: it would have lasted 10 min.", shown)
        self.assertIn("latency, ms", shown)

    def test_ctrl_c_before_the_run_shows_nothing(self):
        """What was asked in a warm-up is no result, and the tables are gone all the same."""
        data = str(self.folder / "data")
        process = subprocess.Popen([cli_test.BINARY, "lab", "measure", str(self.file), "--warmup", "600", "--data", data],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        cli_test.wait_until_caught(process, signal.SIGINT)
        process.send_signal(signal.SIGINT)
        shown, errors = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, shown), (130, ""))
        self.assertEqual(errors, "dynolith: stopped before the run began, so there is nothing to show\n")
        self.measure("--data", data, "--duration", "1")

    def test_results_that_cannot_be_written_are_told_before_the_run(self):
        begun = time.monotonic()
        for option, path in (("--json", "/nowhere/x.json"), ("--report", str(self.folder)), ("--csv", str(self.file / "x"))):
            self.assertIn(f"cannot write {path}: ", self.measure("--duration", "600", option, path, code=1))
        self.assertLess(time.monotonic() - begun, SECONDS)
        self.assertEqual(os.listdir(self.folder), ["experiment.toml"])

    def test_what_cannot_be_measured(self):
        self.file.write_text(SMALL.replace('duration = "1s"', 'duration = "1s"\nsample = 10'))
        self.assertIn("experiment.sample cannot be measured", self.measure(code=1))
        self.measure("--load", "0.5")


class Threads(Measure):
    def test_a_connection_without_a_thread_is_an_error(self):
        file = shutil.copy(self.file, cli_test.open_folder(self))
        with cli_test.Server() as server:
            for threads in (1, 2, 4):
                shown = cli_test.run_with_threads(self, threads, "lab", "measure", file, "--warmup", "0",
                                                  "--endpoint", f"http://127.0.0.1:{server.port}", "--prefix", f"{threads}-")
                self.assertEqual(shown.returncode, 1, shown)
                self.assertIn(b"cannot start a thread (too many: ulimit -u, pids.max of the control group; or no memory: ulimit -v)", shown.stderr)


class Endpoint(Measure):
    def test_http_with_signatures(self):
        url = f"http://127.0.0.1:{self.serve()}"
        shown, _ = self.measure_whole("--endpoint", url, environment=self.KNOWN)
        self.assertIn(f"measured on {url}", shown)
        # Its tables are gone.
        self.measure("--endpoint", url, "--duration", "1", "--connections", "2", environment=self.KNOWN)
        refused = self.measure("--endpoint", url, code=1, environment={**self.KNOWN, "AWS_SECRET_ACCESS_KEY": "other"})
        self.assertIn("InvalidSignatureException", refused)

    def test_probe(self):
        """Of a server whose partition is hot for too short a time; what is found exactly, service_probe_test.cc says."""
        url = f"http://127.0.0.1:{self.serve('--capacity', 'enforce', '--capacity-burst', '30')}"
        profile = self.folder / "profile.toml"
        shown = subprocess.run([cli_test.BINARY, "lab", "probe", "--endpoint", url, "--idle", "0", "--hot", "1", "--profile", str(profile)],
                               capture_output=True, text=True, timeout=SECONDS, env={**os.environ, **self.KNOWN})
        self.assertEqual((shown.returncode, shown.stderr, shown.stdout), (0, "", profile.read_text()), shown)
        self.assertRegex(shown.stdout, rf"\A# What dynolith lab probe found of {url} at [0-9T:-]+Z\.\n"
                                       r"# burst was not found: a table had saved [0-9]+ seconds, and may save more when [^\n]*\n"
                                       r"# eventual_reads was not found: [^\n]*\n# split_delay was not found[^\n]*\n\Z")
        # Its tables are gone, and what it did not find is assumed.
        self.assertEqual(subprocess.run([cli_test.BINARY, "lab", "simulate", str(self.file), "--profile", str(profile)],
                                        stdout=subprocess.DEVNULL, timeout=SECONDS).returncode, 0)
        self.measure("--endpoint", url, "--duration", "1", environment=self.KNOWN)

    def test_tls(self):
        certificate, key = str(self.folder / "certificate.pem"), str(self.folder / "key.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        port = self.serve("--tls-cert", certificate, "--tls-key", key)
        self.measure_whole("--endpoint", f"https://localhost:{port}", "--ca", certificate, environment=self.KNOWN)
        for url, more in ((f"https://localhost:{port}", ()), (f"https://127.0.0.1:{port}", ("--ca", certificate))):
            self.assertIn("certificate verify failed", self.measure("--endpoint", url, *more, code=1, environment=self.KNOWN))
        self.assertIn("no certificates in", self.measure("--endpoint", f"https://localhost:{port}", "--ca",
                                                                   str(self.file), code=1, environment=self.KNOWN))

    def test_addresses_that_are_none(self):
        self.assertIn("is no address of an endpoint", self.measure("--endpoint", "localhost:8000", code=1))
        self.assertIn("no answer", self.measure("--endpoint", "http://127.0.0.1:9", code=1))
        nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_REGION": "", "AWS_DEFAULT_REGION": "",
                  "HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true"}
        self.assertIn("the variable AWS_ACCESS_KEY_ID is not set", self.measure("--endpoint", "https://dynamodb.eu-west-1.amazonaws.com", code=1,
                                                                   environment=nobody))


if __name__ == "__main__":
    cli_test.BINARY = sys.argv.pop(1)
    unittest.main()
