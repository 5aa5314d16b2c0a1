"""A fleet of one server many times over, mounted and left again.

usage: python mount.py COUNT COMMAND...   (executed by the benchmark, not imported)
"""

import asyncio
import os
import sys
from pathlib import Path

from induscode.capability_deck.mcp_config.servers import Source, StdioServer
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Ground
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper


async def main(count: int, command: str, *args: str) -> None:
    servers = [
        StdioServer(
            name=f"server{number}",
            source=Source("mcp.json", f"mcpServers.server{number}"),
            launch="sha256:x",
            command=command,
            args=args,
        )
        for number in range(count)
    ]
    keeper = Keeper()
    ground = Ground(keeper, Path.cwd(), os.environ, Secrets())
    fleet = Fleet(servers, ground, lambda _: None)
    fleet.start()
    await fleet.settled(30)
    mounted = len(fleet.descriptors())
    await fleet.close()
    await keeper.close()
    if mounted != count:
        raise SystemExit(f"{mounted} of {count} were mounted")


asyncio.run(main(int(sys.argv[1]), *sys.argv[2:]))
