#!/usr/bin/env python3
"""The processor time of `dynolith proxy` for a call, beside that of an echo server on the same HTTP server (bench/echo_server.cc)
for the same bytes, and beside a relay that passes bytes on unread (bench/bare_relay.cc), which no proxy can undercut. Times are
those of the processes, user and system, in nanoseconds as the kernel's scheduler counts them, so that other programs on the machine
and this client do not count. Rounds take turns, and the medians are printed at the end.

    proxy_cost.py <dynolith binary> <echo_server binary> <bare_relay binary> [calls] [connections] [rounds]
"""

import contextlib
import pathlib
import socket
import statistics
import subprocess
import sys
import threading

BODY = b'{"TableName":"music","Item":{"pk":{"S":"' + b"a" * 250 + b'"}}}'


def processor_seconds(process):
    """Of its threads that run; no thread ends meanwhile."""
    return sum(int((task / "schedstat").read_text(encoding="ascii").split()[0])
               for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir()) / 1e9


def call_many(port, calls):
    head = (f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"
            "User-Agent: aws-sdk-go-v2/1.30 os/linux lang/go md/GOARCH#amd64\r\nAmz-Sdk-Invocation-Id: 2f0c1c1e-0000-4000-8000-000000000000\r\n"
            "Amz-Sdk-Request: attempt=1; max=3\r\nAccept-Encoding: identity\r\nX-Amz-Date: 20260101T000000Z\r\n"
            "Authorization: AWS4-HMAC-SHA256 Credential=AKID/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature="
            + "0" * 64 + f"\r\nContent-Length: {len(BODY)}\r\n\r\n")
    request = head.encode() + BODY
    with socket.create_connection(("127.0.0.1", port)) as client:
        for _ in range(calls):
            client.sendall(request)
            answer = b""
            while not answer.endswith(BODY):
                part = client.recv(65536)
                assert part, answer
                answer += part
            assert answer.startswith(b"HTTP/1.1 200 "), answer


def microseconds(port, calls, connections, processes):
    """Of each process, for a call."""
    before = [processor_seconds(process) for process in processes]
    threads = [threading.Thread(target=call_many, args=(port, calls // connections)) for _ in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = calls // connections * connections
    return [(processor_seconds(process) - start) / made * 1e6 for process, start in zip(processes, before)]


def main():
    dynolith, echo, relay = sys.argv[1:4]
    calls, connections, rounds = (int(text) for text in (sys.argv[4:] + ["8000", "16", "9"][len(sys.argv) - 4:]))
    with contextlib.ExitStack() as started:
        def start(*command):
            process = started.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            started.callback(process.terminate)
            return process, process.stdout.readline()

        server, line = start(echo, "--library", "own")
        port = int("".join(c for c in line if c.isdigit()))
        bare, line = start(relay, str(port))
        passing = int(line)
        proxy, line = start(dynolith, "proxy", "--to", f"http://127.0.0.1:{port}", "--port", "0", "--threads", "1")
        front = int(line.split("http://127.0.0.1:")[1].split()[0])
        echoes, relayed, proxied = [], [], []
        for _ in range(rounds):
            [direct] = microseconds(port, calls, connections, [server])
            least = microseconds(passing, calls, connections, [bare])[0]
            ours = microseconds(front, calls, connections, [proxy])[0]
            echoes.append(direct)
            relayed.append(least)
            proxied.append(ours)
            print(f"echo {direct:.2f} us a call; bare relay {least:.2f} us ({least / direct:.2f} echoes); "
                  f"proxy {ours:.2f} us ({ours / direct:.2f} echoes)", flush=True)
        direct, least, ours = (statistics.median(times) for times in (echoes, relayed, proxied))
        print(f"medians: echo {direct:.2f} us, bare relay {least:.2f} us: {least / direct:.2f} echoes, "
              f"proxy {ours:.2f} us: {ours / direct:.2f} echoes")


if __name__ == "__main__":
    main()
