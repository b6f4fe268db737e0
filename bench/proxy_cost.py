#!/usr/bin/env python3
"""The processor time of `dynolith proxy` for a call, beside that of an echo server on the same HTTP server (bench/echo_server.cc)
for the same bytes, and of the echo server behind the proxy. Times are those of the processes (utime and stime), so that other
programs on the machine and this client do not count.

    proxy_cost.py <dynolith binary> <echo_server binary> [calls] [connections]
"""

import os
import pathlib
import socket
import subprocess
import sys
import threading

BODY = b'{"TableName":"music","Item":{"pk":{"S":"' + b"a" * 250 + b'"}}}'


def processor_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
    dynolith, echo = sys.argv[1:3]
    calls, connections = (int(text) for text in (sys.argv[3:] + ["20000", "16"])[:2])
    with subprocess.Popen([echo, "--library", "own"], stdout=subprocess.PIPE, text=True) as server:
        port = int("".join(c for c in server.stdout.readline() if c.isdigit()))
        command = [dynolith, "proxy", "--to", f"http://127.0.0.1:{port}", "--port", "0", "--threads", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as proxy:
            front = int(proxy.stdout.readline().split("http://127.0.0.1:")[1].split()[0])
            for _ in range(2):
                [direct] = microseconds(port, calls, connections, [server])
                ours, behind = microseconds(front, calls, connections, [proxy, server])
                print(f"echo {direct:.1f} us a call; proxy {ours:.1f} us ({ours / direct:.2f} echoes), and the echo behind it {behind:.1f} us",
                      flush=True)
            proxy.terminate()
        server.terminate()


if __name__ == "__main__":
    main()
