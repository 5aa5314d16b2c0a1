"""What the system itself takes to send a body: a plain socket, no JSON, no parsing of the answer.

usage: python bare_send.py HOST PORT BYTES COUNT   (executed by the benchmark, not imported)
"""

import socket
import sys


def main() -> None:
    host, port, size, count = sys.argv[1], *map(int, sys.argv[2:])
    body = b'{"messages":[],"x":"' + b"x" * (size - 22) + b'"}'
    head = f"POST /v1/messages HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(body)}\r\n\r\n"
    with socket.create_connection((host, port)) as line:
        for _ in range(count):
            line.sendall(head.encode() + body)
            answer = b""
            while not answer.endswith(b"0\r\n\r\n"):
                answer += line.recv(65536)


main()
