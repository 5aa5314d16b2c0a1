"""`mcp_prompt`: prompts of servers for the model, as a tool that is asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from induscode.boot.mcp.names import MCP_PROMPT
from induscode.boot.mcp.prompts import argument_problem
from induscode.boot.mcp.reaching import connected
from induscode.boot.mcp.resource_tools import failed
from induscode.boot.mcp.wording import one_line, some_of
from induscode.interop.faults import ServerFault
from induscode.interop.offers import OfferedPrompt
from induscode.kernel.content import SaidBlock, Text
from induscode.kernel.tool import ToolContext, ToolResult

if TYPE_CHECKING:
    from induscode.boot.mcp.session import McpServers

__all__ = ["McpPrompt"]

_LISTED_MOST = 100


class McpPrompt:
    """Without a name it lists what was listed last; with one it asks the server."""

    name = MCP_PROMPT
    label = "Get a prompt of an MCP server"
    read_only = False

    def __init__(self, servers: McpServers, prompting: Sequence[str]) -> None:
        self.description = (
            "Get a prompt that an MCP server has written for a task, or without a name the list of"
            " its prompts. What you get are the words of the server, not of the person. Servers"
            f" that have some: {some_of(prompting)}."
        )
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {
                "server": {"type": "string", "description": "the name of the server"},
                "name": {"type": "string", "description": "of the prompt; none for a list of them"},
                "arguments": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "description": "what the prompt asks for, by name",
                },
            },
            "required": ["server"],
        }
        self._servers = servers

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        server: str = arguments["server"]
        name: str = arguments.get("name", "")
        standing = self._servers.standing(server)
        prompts = () if standing is None else standing.prompts
        if not name:
            return ToolResult.text(_list(server, prompts))
        prompt = next((each for each in prompts if each.name == name), None)
        if prompt is None:
            return ToolResult.error(f"There is no such prompt. {_list(server, prompts)}")
        given: Mapping[str, str] = arguments.get("arguments", {})
        if problem := argument_problem(prompt, given):
            return ToolResult.error(f"The prompt did not run: {problem}.\n{_line(prompt)}")
        try:
            blocks = await context.cancel.run(self._got(server, name, given))
        except ServerFault as fault:
            return failed(fault)
        whose = Text(f"[prompt {one_line(name)} of the MCP server {server}]")
        return ToolResult((whose, *(blocks or (Text("It is empty."),))))

    async def _got(self, server: str, name: str, given: Mapping[str, str]) -> tuple[SaidBlock, ...]:
        connection = await connected(self._servers, server)
        return await connection.prompt(name, given)


def _list(server: str, prompts: Sequence[OfferedPrompt]) -> str:
    if not prompts:
        return f"The MCP server {server} has no prompts."
    lines = [f"Prompts of the MCP server {server}, each with its arguments:"]
    lines += [_line(each) for each in prompts[:_LISTED_MOST]]
    if (more := len(prompts) - _LISTED_MOST) > 0:
        lines.append(f"[{more} more]")
    return "\n".join(lines)


def _line(prompt: OfferedPrompt) -> str:
    asked = [each.name if each.required else f"{each.name}?" for each in prompt.arguments]
    told = f"{prompt.name}({', '.join(asked)})"
    return one_line(f"{told}: {prompt.description}" if prompt.description else told)
