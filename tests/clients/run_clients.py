#!/usr/bin/env python3
"""Starts the server and runs every client program against it; then some behind a proxy, and those that can with the library in
their own process.

    run_clients.py <dynolith program> <folder with the clients> [program...]

A client program exits with 0 if every answer was the exact one. Each makes and deletes its own tables.
"""

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

HERE = pathlib.Path(__file__).resolve().parent
# The server's flags -> the programs that run against a server with these flags. A program may stand in several rows.
# {folder} is the server's own folder; its file "credentials" has the clients' key, its folder "buckets" a bucket "archive".
PROGRAMS = {
    "": ["scenario.py", "scenario_cli.py", "scenario.mjs", "quick_photos.py", "quick_photos.mjs", "favourites.py",
         "component_tree.py", "component_tree.mjs", "patterns.py", "social_network.py", "online_game.py", "similar_songs.py",
         "java/Scenario", "java/EnhancedFavourites", "java/MapperFavourites", "go/scenario", "rust/scenario"],
    "--conflicts fail": ["social_network.py", "online_game.py"],
    "--stream-shards 4": ["stream_consumer.py"],
    "--buckets {folder}/buckets": ["archive.py"],
    "--admin": ["faults.py"],
    "--regions us-east-1,us-east-2,us-west-2": ["global_table.py"],
    "--admin --cloudwatch --clock manual --auth verify --credentials {folder}/credentials": ["metrics_and_alarms.py"],
    "--capacity enforce --capacity-scale 0.01": ["throttling.py", "throttling.mjs", "java/Throttling"],
    "--auth verify --credentials {folder}/credentials --stream-shards 4": [
        "scenario.py", "scenario.mjs", "java/Scenario", "java/MapperFavourites", "go/scenario", "rust/scenario"],
}
# The flags of a proxy in front of a server -> the programs that run through it. With flags it reads calls and answers, and cuts
# out of them what it has added; without, it passes them on.
BEHIND_PROXY = {"": ["scenario.py"], "--hot-keys": ["scenario.py"]}
# Programs that run once more without a server, through their language's binding.
IN_PROCESS = ["scenario.py", "scenario.mjs", "java/Scenario", "go/scenario", "rust/scenario"]
# Language -> what is there when its programs are compiled.
COMPILED = {"java": "java/compiled", "go": "go/scenario", "rust": "rust/debug/scenario"}


def python_of(clients):
    return clients / "venv" / "bin" / "python"


def missing_clients(clients, programs):
    if not python_of(clients).exists():
        yield f"no Python clients in {clients}/venv"
    for package in ["@aws-sdk/lib-dynamodb", "@aws-sdk/client-dynamodb-streams", "@aws-crypto/crc32"]:
        if not (clients / "node" / "node_modules" / package).exists():
            yield f"no JavaScript package {package} in {clients}/node"
    for program in ["node", "java"]:
        if shutil.which(program) is None:
            yield f"no {program}"
    for language, compiled in COMPILED.items():
        if any(program.startswith(language + "/") for program in programs) and not (clients / compiled).exists():
            yield f"no compiled {language} client in {clients}"


class Server:
    """The program on a free port, with a data folder of its own."""

    def __init__(self, binary, flags):
        self.folder = tempfile.mkdtemp(prefix="dynolith_clients_")
        self.binary = binary
        (pathlib.Path(self.folder) / "credentials").write_text("local local\n", encoding="utf-8")
        (pathlib.Path(self.folder) / "buckets" / "archive").mkdir(parents=True)
        own = flags.format(folder=self.folder).split()
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", self.folder + "/data", *own], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://[^\s]+", line)
        if not found:
            self.process.kill()
            raise RuntimeError(f"the server did not say where it listens: {line!r}")
        self.endpoint = found.group(0).rstrip("/.")

    def stop(self):
        """SIGTERM must end it cleanly; then its data must be sound."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=120)
        check = subprocess.run([self.binary, "check", self.folder + "/data"], capture_output=True, text=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
        if code != 0:
            raise RuntimeError(f"the server ended with {code}")
        if check.returncode != 0:
            raise RuntimeError(f"dynolith check: {check.stdout}{check.stderr}")


class Proxied(Server):
    """A server behind a proxy, whose address clients get."""

    def __init__(self, binary, flags):
        super().__init__(binary, "")
        environment_of_proxy = {**os.environ, "AWS_ACCESS_KEY_ID": "proxy", "AWS_SECRET_ACCESS_KEY": "proxy"}
        self.proxy = subprocess.Popen([binary, "proxy", "--port", "0", "--to", self.endpoint, *flags.split()],
                                      stdout=subprocess.PIPE, text=True, env=environment_of_proxy)
        self.endpoint = re.search(r"http://[^\s]+", self.proxy.stdout.readline()).group(0)

    def stop(self):
        self.proxy.send_signal(signal.SIGTERM)
        code = self.proxy.wait(timeout=120)
        super().stop()
        if code != 0:
            raise RuntimeError(f"the proxy ended with {code}")


def own_environment(folder, clients):
    env = dict(os.environ)
    settings = pathlib.Path(folder) / "no_settings"
    settings.touch()
    # A developer's own settings must not lead a test to the real service.
    for name in [name for name in env if name.startswith("AWS_")]:
        del env[name]
    env.update(AWS_EC2_METADATA_DISABLED="true", AWS_PAGER="", NODE_NO_WARNINGS="1",
               AWS_CONFIG_FILE=str(settings), AWS_SHARED_CREDENTIALS_FILE=str(settings),
               PATH=f"{clients}/venv/bin:{env['PATH']}", DYNOLITH_NODE_MODULES=f"{clients}/node/node_modules",
               no_proxy="127.0.0.1,localhost", NO_PROXY="127.0.0.1,localhost")
    return env


def environment(server, clients):
    env = own_environment(server.folder, clients)
    env.update(DYNOLITH_ENDPOINT=server.endpoint, AWS_ACCESS_KEY_ID="local", AWS_SECRET_ACCESS_KEY="local", AWS_REGION="us-east-1",
               AWS_DEFAULT_REGION="us-east-1", AWS_ENDPOINT_URL=server.endpoint)
    return env


def environment_in_process(binary, folder, clients):
    """Neither an endpoint nor credentials nor a region: a binding needs none."""
    env = own_environment(folder, clients)
    library = pathlib.Path(binary).resolve().parents[1] / "api" / "c" / "libdynolith.so.0"
    bindings = HERE.parents[1] / "api" / "bindings"
    env.update(DYNOLITH_IN_PROCESS="1", PYTHONPATH=str(bindings / "python" / "src"),
               DYNOLITH_JAVASCRIPT=str(bindings / "javascript" / "index.mjs"), DYNOLITH_LIBRARY=env.get("DYNOLITH_LIBRARY", str(library)))
    return env


def command_of(program, clients):
    path = HERE / program
    if program.endswith(".py"):
        return [str(python_of(clients)), str(path)]
    if program.startswith("java/"):
        java = clients / "java"
        return ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{java}/classes:{java}/libraries/*:{clients}/java_binding/classes", "dynolith." + path.name]
    if program.startswith(("go/", "rust/")):
        return [str(clients / program.replace("rust/", "rust/debug/"))]
    # Node looks for packages beside the program, so the program goes beside the packages.
    work = clients / "node" / "programs"
    work.mkdir(exist_ok=True)
    for source in HERE.glob("*.mjs"):
        shutil.copy(source, work)
    return ["node", str(work / program)]


def photos_file(folder):
    """The lab's data when it lies beside the checkout, else a generated set of the same shape."""
    real = HERE.parents[2] / "shared" / "data" / "quick-photos.items.json"
    if real.exists():
        return real
    generated = pathlib.Path(folder) / "quick-photos.items.json"
    sys.path.insert(0, str(HERE))
    from photo_generator import generate  # pylint: disable=import-outside-toplevel
    generated.write_text("".join(json.dumps(item) + "\n" for item in generate()), encoding="utf-8")
    return generated


def failures(server, clients, flags, programs):
    """Runs the programs against one server; yields those that failed."""
    env = environment(server, clients)
    env["DYNOLITH_FLAGS"] = flags
    env["DYNOLITH_PHOTOS"] = str(photos_file(server.folder))
    yield from failures_of(programs, clients, env, flags and f" with {flags}")
    server.stop()


def failures_in_process(binary, clients, programs):
    with tempfile.TemporaryDirectory(prefix="dynolith_clients_") as folder:
        yield from failures_of(programs, clients, environment_in_process(binary, folder, clients), " in process")


def failures_of(programs, clients, env, how):
    for program in programs:
        started = time.monotonic()
        result = subprocess.run(command_of(program, clients), env=env, timeout=900, check=False)
        print(f"{program}{how}: {'passed' if result.returncode == 0 else 'FAILED'} in {time.monotonic() - started:.1f} s", flush=True)
        if result.returncode != 0:
            yield program + how


def main():
    binary, clients, asked = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    unknown = [program for program in asked if not any(program in programs for programs in PROGRAMS.values())]
    if unknown:
        print(f"no such program: {', '.join(unknown)}")
        return 1
    missing = list(missing_clients(clients, asked or sum(PROGRAMS.values(), [])))
    if missing:
        print(f"{'; '.join(missing)}: run tools/dev test, which installs them")
        return 1
    failed = []
    for flags, programs in PROGRAMS.items():
        wanted = [program for program in programs if not asked or program in asked]
        if wanted:
            failed += failures(Server(binary, flags), clients, flags, wanted)
    for flags, programs in BEHIND_PROXY.items():
        wanted = [program for program in programs if not asked or program in asked]
        if wanted:
            failed += failures(Proxied(binary, flags), clients, f"proxy {flags}".strip(), wanted)
    failed += failures_in_process(binary, clients, [program for program in IN_PROCESS if not asked or program in asked])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
