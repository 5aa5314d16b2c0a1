"""The factories of the native tools: a definition, and the module that does the work when called.

Each module has one `execute`. Nothing of it is imported before the first call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import cast

from induscode.kernel.tool import AgentTool
from induscode.tools import definitions
from induscode.tools.definition import Execute, LateTool, ToolDefinition
from induscode.tools.web.settings import WebAccess, WebSettings

__all__ = [
    "MUTATING_NAMES",
    "READ_ONLY_NAMES",
    "create_bash_tool",
    "create_edit_tool",
    "create_find_tool",
    "create_grep_tool",
    "create_ls_tool",
    "create_process_tool",
    "create_read_tool",
    "create_todo_read_tool",
    "create_todo_set_tool",
    "create_web_fetch_tool",
    "create_web_search_tool",
    "create_write_tool",
]

READ_ONLY_NAMES = ("read", "ls", "grep", "find", "websearch", "webfetch", "todo_read")
MUTATING_NAMES = ("write", "edit", "bash", "process", "todo_set")


def create_read_tool() -> AgentTool:
    return _native(definitions.READ, "read")


def create_ls_tool() -> AgentTool:
    return _native(definitions.LS, "ls")


def create_grep_tool() -> AgentTool:
    return _native(definitions.GREP, "search.grep")


def create_find_tool() -> AgentTool:
    return _native(definitions.FIND, "search.find")


def create_web_search_tool(access: WebAccess | None = None) -> AgentTool:
    return _web(definitions.WEBSEARCH, "web.websearch", access or WebAccess())


def create_web_fetch_tool(access: WebAccess | None = None) -> AgentTool:
    return _web(definitions.WEBFETCH, "web.webfetch", access or WebAccess())


def create_todo_read_tool() -> AgentTool:
    return _native(definitions.TODO_READ, "checklist.todo_read")


def create_write_tool() -> AgentTool:
    return _native(definitions.WRITE, "write")


def create_edit_tool() -> AgentTool:
    return _native(definitions.EDIT, "edit")


def create_bash_tool() -> AgentTool:
    return _native(definitions.BASH, "bash")


def create_process_tool() -> AgentTool:
    """Each one keeps the processes that it started."""

    def load() -> Execute:
        return cast("Execute", import_module("induscode.tools.processes.process").executor())

    return LateTool(definitions.PROCESS, load)


def create_todo_set_tool() -> AgentTool:
    return _native(definitions.TODO_SET, "checklist.todo_set")


def _web(definition: ToolDefinition, module: str, access: WebAccess) -> AgentTool:
    def load() -> Execute:
        make = cast(
            "Callable[[WebSettings, Mapping[str, str]], Execute]",
            import_module(f"induscode.tools.{module}").execute_with,
        )
        return make(access.settings, access.environ)

    return LateTool(definition, load)


def _native(definition: ToolDefinition, module: str) -> AgentTool:
    def load() -> Execute:
        return cast("Execute", import_module(f"induscode.tools.{module}").execute)

    return LateTool(definition, load)
