"""A session in a process of its own: python visitor.py FOLDER URL

Says `ready`, waits for a line, connects with the logins of FOLDER, and tells what a tool said or
what went wrong.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from induscode.boot.mcp.credentials import McpCredentials
from induscode.capability_deck.mcp_config.servers import RemoteServer, Source
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault
from induscode.interop.ground import Ground
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper
from tests.interop.harbour import said


async def visit(folder: str, url: str) -> str:
    server = RemoteServer(name="far", source=Source("x", "x"), launch="sha256:x", url=url)
    vault = McpCredentials(Path(folder))
    ground = Ground(Keeper(), Path.cwd(), os.environ, Secrets(), vault=vault)
    connection = Connection(server, ground, lambda _: None)
    try:
        await connection.open()
        return said(await connection.call("whoami", {}))
    except ServerFault as fault:
        return str(fault)
    finally:
        await connection.close()


if __name__ == "__main__":
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(f"{asyncio.run(visit(*sys.argv[1:]))}\n")
