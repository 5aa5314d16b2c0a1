"""`python -m tests.interop.conformance.client URL`: the program that the suite starts and watches.

It does with a server what a session and its person may do: connect, log in when they are told to,
list, call each tool, get each prompt and read each resource, over a fleet of ours. Of what a
scenario is after it knows only what it must: arguments of a tool, the client to be.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from induscode.boot.mcp.credentials import McpCredentials
from induscode.capability_deck.bridge_ledger.names import qualify_bridge_name
from induscode.capability_deck.mcp_config.servers import (
    OAuthClient,
    RemoteServer,
    Source,
    Transport,
)
from induscode.interop.connection import Connection
from induscode.interop.faults import ServerFault
from induscode.interop.fleet import Fleet
from induscode.interop.ground import Asked, Ground, Reply
from induscode.interop.limits import FleetLimits
from induscode.interop.oauth.credential import login_hint
from induscode.interop.oauth.login import Visit, login
from induscode.interop.offers import OfferedTool
from induscode.policy.redaction import Secrets
from induscode.tools.processes.line import Keeper

SERVER = "far"
SECONDS = 20.0
LIMITS = FleetLimits(startup_seconds=SECONDS, call_seconds=SECONDS, attempts=1)
LOGINS_MOST = 3
"""Then a person gives up."""
ARGUMENTS: Mapping[str, Mapping[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
ECHO = "json_schema_echo"
DOCUMENTED = "auth/basic-cimd"
DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""Where the suite's clients say who they are; it knows what stands there."""


class CameToNothing(Exception):
    """The server was never used, for the reason it carries."""


async def visit(server: RemoteServer, context: Mapping[str, Any], folder: Path) -> list[str]:
    """Everything, again after each login that is asked for. Returns what the last time did not
    work. Raises `CameToNothing`."""
    keeper, secrets, vault = Keeper(), Secrets(), McpCredentials(folder)
    ground = Ground(keeper, folder, os.environ, secrets, LIMITS, accepted, vault)
    try:
        for _ in range(LOGINS_MOST):
            problems = await used(server, context, ground)
            if login_hint(SERVER) not in "\n".join(problems):
                break
            await login(server, vault, secrets, browse, seconds=SECONDS)
        return problems
    except ServerFault as fault:
        raise CameToNothing(str(fault)) from fault
    finally:
        await keeper.close()


async def used(server: RemoteServer, context: Mapping[str, Any], ground: Ground) -> list[str]:
    """Raises `ServerFault` when it could not be, unless a login would help."""
    async with mounted(server, ground) as fleet:
        connection = fleet.connection(SERVER)
        if connection is not None:
            return [*await called(fleet, context), *await read(connection)]
        fault = fleet.standings()[0].fault
        if fault is None or fault.hint == login_hint(SERVER):
            return [str(fault)]
        raise fault


@asynccontextmanager
async def mounted(server: RemoteServer, ground: Ground) -> AsyncGenerator[Fleet]:
    fleet = Fleet([server], ground, lambda _: None)
    fleet.start()
    try:
        await fleet.settled(SECONDS)
        yield fleet
    finally:
        await fleet.close()


async def called(fleet: Fleet, context: Mapping[str, Any]) -> list[str]:
    """The calls that the scenario asks for, or else each tool once."""
    tools = fleet.standings()[0].tools
    wanted: Sequence[Mapping[str, Any]] = context.get("toolCalls") or [
        {"name": tool.name, "arguments": arguments(tool.name, tools)} for tool in tools
    ]
    problems: list[str] = []
    for call in wanted:
        outcome = await fleet.run(qualify_bridge_name(SERVER, call["name"]), call["arguments"])
        if outcome.is_error:
            problems.append(f"{call['name']}: {outcome.output}")
    return problems


def arguments(name: str, tools: Sequence[OfferedTool]) -> Mapping[str, Any]:
    """One tool wants to be told how we see the schema of another."""
    if name == ECHO:
        return {"schema": next(tool.parameters for tool in tools if tool.name != ECHO)}
    return ARGUMENTS.get(name, {})


async def read(connection: Connection) -> list[str]:
    try:
        for prompt in await connection.prompts():
            await connection.prompt(prompt.name, {})
        for resource in await connection.resources():
            if not resource.template:
                await connection.read(resource.uri)
    except ServerFault as fault:
        return [str(fault)]
    return []


async def accepted(asked: Asked) -> Reply:
    """What a person says who accepts the defaults of a form."""
    fields: Mapping[str, Any] = (asked.schema or {}).get("properties", {})
    return Reply(
        accepted=True,
        content={name: field["default"] for name, field in fields.items() if "default" in field},
    )


async def browse(to: Visit) -> None:
    """A browser in which the person is known to every issuer and says yes."""
    async with httpx2.AsyncClient(follow_redirects=True, timeout=SECONDS) as http:
        await http.get(to.address)


def configured(url: str, scenario: str, context: Mapping[str, Any]) -> RemoteServer:
    """The row of a person who was told of a client to be, or published who theirs is."""
    published = DOCUMENT if scenario == DOCUMENTED else ""
    client = context.get("client_id", published)
    return RemoteServer(
        name=SERVER,
        source=Source("mcp.json", f"mcpServers.{SERVER}"),
        launch="sha256:x",
        url=url,
        transport=Transport.HTTP,
        oauth=OAuthClient(client, context.get("client_secret", "")) if client else None,
    )


def main(argv: Sequence[str]) -> int:
    """What a server answers to a call is for the suite to judge; it is told on stderr."""
    context: Mapping[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    server = configured(argv[-1], os.environ.get("MCP_CONFORMANCE_SCENARIO", ""), context)
    with tempfile.TemporaryDirectory() as folder:
        try:
            told = asyncio.run(visit(server, context, Path(folder)))
        except CameToNothing as nothing:
            sys.stderr.write(f"{nothing}\n")
            return 1
    sys.stderr.writelines(f"{each}\n" for each in told)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
