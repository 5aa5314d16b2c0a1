"""A server with every odd behaviour, made with the SDK.

python odd.py [stdio | streamable-http PORT | sse PORT]
"""

import asyncio
import base64
import os
import signal
import sys
from pathlib import Path
from typing import Annotated

from mcp.server.mcpserver import Context, Elicit, Image, MCPServer, Resolve
from mcp.server.mcpserver.prompts import Prompt
from mcp.types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
server = MCPServer("odd", instructions="Be kind.")


class Name(BaseModel):
    name: str


class Weather(BaseModel):
    town: str
    degrees: float


@server.tool(annotations={"readOnlyHint": True})
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def variable(name: str) -> str:
    """A variable of the environment."""
    return os.environ.get(name, "(unset)")


@server.tool()
def complain(text: str) -> str:
    """Write to stderr."""
    sys.stderr.write(text)
    sys.stderr.flush()
    return "done"


@server.tool()
def wrong() -> str:
    """Fail."""
    raise ValueError("that was wrong")


@server.tool(structured_output=False)
def picture() -> Image:
    """A picture."""
    return Image(data=PIXEL, format="png")


@server.tool()
def weather(town: str) -> Weather:
    """Structured content."""
    return Weather(town=town, degrees=21.5)


@server.tool(structured_output=False)
def only_structured() -> CallToolResult:
    """Structured content that no text repeats."""
    return CallToolResult(
        content=[TextContent(type="text", text="See there.")], structured_content={"a": [1, 2]}
    )


@server.tool(structured_output=False)
def link() -> CallToolResult:
    """A resource link."""
    made = ResourceLink(
        type="resource_link", uri="odd://notes", name="notes", mime_type="text/plain"
    )
    return CallToolResult(content=[made])


@server.tool(structured_output=False)
def many(count: int) -> CallToolResult:
    """Many parts."""
    part = TextContent(type="text", text="part")
    return CallToolResult(content=[part] * count)


@server.tool()
async def steps(ctx: Context) -> str:
    """Tell of progress."""
    for step in (1, 2, 3):
        await ctx.report_progress(step, 3, f"step {step}")
    return "all done"


@server.tool()
async def slow(mark: str) -> str:
    """Wait for ever; leave a mark when it begins and when it is cancelled."""
    Path(mark).write_text("begun")
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        Path(mark).write_text("cancelled")
        raise
    return "never"


@server.tool()
def die() -> str:
    """End in the middle of the call."""
    sys.stderr.write("I am dying")
    sys.stderr.flush()
    os.kill(os.getpid(), signal.SIGKILL)
    return "never"


@server.tool()
async def grow(ctx: Context) -> str:
    """Offer one tool more."""

    def grown() -> str:
        """It was not there before."""
        return "grown"

    server.add_tool(grown)
    await ctx.notify_tools_changed()
    return "grew"


@server.tool()
async def learn(ctx: Context) -> str:
    """Offer one prompt more."""

    def learned() -> str:
        """It was not there before."""
        return "learned"

    server.add_prompt(Prompt.from_function(learned))
    await ctx.notify_prompts_changed()
    return "learned it"


def who() -> Elicit[Name]:
    return Elicit("Who are you?", Name)


@server.tool()
def greet(person: Annotated[Name, Resolve(who)]) -> str:
    """Ask the person."""
    return f"Hello {person.name}."


@server.resource("odd://notes")
def notes() -> str:
    """Notes."""
    return "some notes"


@server.prompt()
def review(code: str) -> str:
    """Review code."""
    return f"Please review: {code}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case [] | ["stdio"]:
            server.run("stdio")
        case [transport, port]:
            server.run(transport, host="127.0.0.1", port=int(port))
