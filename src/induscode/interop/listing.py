"""The lists of a server, page by page, up to a bound."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import METHOD_NOT_FOUND, Prompt, Resource, ResourceTemplate, Tool

from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.limits import LISTED_MOST, PAGES_MOST
from induscode.interop.offers import OfferedPrompt, OfferedResource, OfferedTool, PromptArgument

__all__ = ["any_resource", "listed_prompts", "listed_resources", "listed_tools"]

T = TypeVar("T")
_Page = tuple[Sequence[T], str | None]


async def listed_tools(client: Client, server: str) -> tuple[OfferedTool, ...]:
    """Raises what the SDK does, and `ServerFault` when there is no end to it."""
    if client.server_capabilities.tools is None:
        return ()

    async def page(cursor: str | None) -> _Page[Tool]:
        found = await client.list_tools(cursor=cursor)
        return found.tools, found.next_cursor

    return tuple(_tool(each) for each in await _pages(page, server, "tools"))


async def listed_prompts(client: Client, server: str) -> tuple[OfferedPrompt, ...]:
    """Raises as `listed_tools` does."""
    if client.server_capabilities.prompts is None:
        return ()

    async def page(cursor: str | None) -> _Page[Prompt]:
        found = await client.list_prompts(cursor=cursor)
        return found.prompts, found.next_cursor

    return tuple(_prompt(each) for each in await _pages(page, server, "prompts"))


async def listed_resources(client: Client, server: str) -> tuple[OfferedResource, ...]:
    """Those that can be read, then the templates of more. Raises as `listed_tools` does."""
    if client.server_capabilities.resources is None:
        return ()

    async def page(cursor: str | None) -> _Page[Resource]:
        found = await client.list_resources(cursor=cursor)
        return found.resources, found.next_cursor

    async def templates(cursor: str | None) -> _Page[ResourceTemplate]:
        found = await _known(client.list_resource_templates(cursor=cursor))
        return ((), None) if found is None else (found.resource_templates, found.next_cursor)

    plain = [_resource(each) for each in await _pages(page, server, "resources")]
    open_ = [_template(each) for each in await _pages(templates, server, "templates")]
    return (*plain, *open_)


async def any_resource(client: Client) -> bool:
    """Whether the first pages name one: servers say that they have resources and have none. Raises
    what the SDK does."""
    if client.server_capabilities.resources is None:
        return False
    plain = await _known(client.list_resources())
    if plain is not None and plain.resources:
        return True
    open_ = await _known(client.list_resource_templates())
    return open_ is not None and bool(open_.resource_templates)


async def _known(asking: Awaitable[T]) -> T | None:
    """The answer; None of a server that does not know the question, though it says it has such."""
    try:
        return await asking
    except MCPError as error:
        if error.code == METHOD_NOT_FOUND:
            return None
        raise


async def _pages(
    page: Callable[[str | None], Awaitable[_Page[T]]], server: str, what: str
) -> list[T]:
    found: list[T] = []
    cursor: str | None = None
    for _ in range(PAGES_MOST):
        more, cursor = await page(cursor)
        found.extend(more)
        if len(found) > LISTED_MOST:
            break
        if cursor is None:
            return found
    raise ServerFault(
        ServerFaultKind.TOO_MANY,
        server,
        f"it lists over {LISTED_MOST} {what}, or does so on over {PAGES_MOST} pages",
    )


def _tool(tool: Tool) -> OfferedTool:
    marks = tool.annotations
    return OfferedTool(
        tool.name,
        tool.description or "",
        tool.input_schema,
        None if marks is None else marks.model_dump(by_alias=True, exclude_unset=True),
    )


def _prompt(prompt: Prompt) -> OfferedPrompt:
    arguments = tuple(
        PromptArgument(each.name, each.description or "", bool(each.required))
        for each in prompt.arguments or ()
    )
    return OfferedPrompt(prompt.name, prompt.description or "", arguments)


def _resource(found: Resource) -> OfferedResource:
    return OfferedResource(found.uri, found.name, found.description or "", found.mime_type or "")


def _template(found: ResourceTemplate) -> OfferedResource:
    return OfferedResource(
        found.uri_template,
        found.name,
        found.description or "",
        found.mime_type or "",
        template=True,
    )
