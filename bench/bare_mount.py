"""The least that it takes to mount one server: its program, a handshake, and its tools.

usage: python bare_mount.py COMMAND...   (executed by the benchmark, not imported)
"""

import json
import subprocess
import sys

ASKED = (
    ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}),
    ("tools/list", {}),
)


def main(*command: str) -> None:
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        for number, (method, params) in enumerate(ASKED):
            asked = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            print(json.dumps(asked), file=server.stdin, flush=True)
            assert "result" in json.loads(server.stdout.readline())


main(*sys.argv[1:])
