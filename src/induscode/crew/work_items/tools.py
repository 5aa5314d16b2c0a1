"""The four tools. Each answers in a few lines; what goes wrong is a value."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, get_args

from induscode.crew.work_items.ledger import WorkItemLedger
from induscode.errors import AddonAuthorError
from induscode.feature.service_work_items import Status, WorkItem
from induscode.kernel.tool import AgentTool, ToolContext, ToolResult

__all__ = ["work_item_tools"]

_ID = {"type": "string", "description": "for example W-0001"}
_STATUS = {"type": "string", "enum": list(get_args(Status))}
_ACTIVE = ("open", "doing")


class _Create:
    name = "work_item_create"
    label = "Create work item"
    description = "Note something that is to be done, as a work item of this workspace."
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "title": {"type": "string", "minLength": 1, "description": "one line"},
            "body": {"type": "string"},
        },
        "required": ["title"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self, ledger: WorkItemLedger) -> None:
        self._ledger = ledger

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        def work() -> str:
            item = self._ledger.create(arguments["title"], arguments.get("body", ""))
            return f"Created {item.id}: {item.title}"

        return await _answer(work, context)


class _Comment:
    name = "work_item_comment"
    label = "Comment on work item"
    description = "Add a comment to a work item. Comments stay in order and are never changed."
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"id": _ID, "text": {"type": "string", "minLength": 1}},
        "required": ["id", "text"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self, ledger: WorkItemLedger) -> None:
        self._ledger = ledger

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        def work() -> str:
            item = self._ledger.comment(arguments["id"], arguments["text"])
            return f"Commented: {_line(item)}"

        return await _answer(work, context)


class _Update:
    name = "work_item_update"
    label = "Update work item"
    description = "Change the title, the body or the status of a work item; the rest stays."
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "id": _ID,
            "title": {"type": "string", "minLength": 1, "description": "one line"},
            "body": {"type": "string"},
            "status": _STATUS,
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    read_only = False

    def __init__(self, ledger: WorkItemLedger) -> None:
        self._ledger = ledger

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        if arguments.keys() <= {"id"}:
            return ToolResult.error("Give a title, a body or a status to change.")

        def work() -> str:
            item = self._ledger.update(
                arguments["id"],
                title=arguments.get("title"),
                body=arguments.get("body"),
                status=arguments.get("status"),
            )
            return f"Updated: {_line(item)}"

        return await _answer(work, context)


class _List:
    name = "work_item_list"
    label = "List work items"
    description = (
        "List work items, one a line: those that are open or being done, or those of a status. "
        "With an id: that item with its body and comments."
    )
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"id": _ID, "status": {**_STATUS, "enum": [*_STATUS["enum"], "all"]}},
        "additionalProperties": False,
    }
    read_only = True

    def __init__(self, ledger: WorkItemLedger) -> None:
        self._ledger = ledger

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        def work() -> str:
            if "id" in arguments:
                return self._one(arguments["id"])
            return self._several(arguments.get("status"))

        return await _answer(work, context)

    def _one(self, name: str) -> str:
        item = self._ledger.get(name)
        if item is None:
            raise LookupError(f"there is no work item {name} that can be read")
        comments = [f"[{said.at} {said.by}] {said.text}" for said in item.comments]
        return "\n\n".join(part for part in (_line(item), item.body, *comments) if part)

    def _several(self, status: str | None) -> str:
        items = self._ledger.items()
        wanted = _ACTIVE if status is None else (status,)
        shown = [item for item in items if status == "all" or item.status in wanted]
        if shown:
            return "\n".join(_line(item) for item in shown)
        if status == "all":
            return "There is no work item."
        return f"No work item is {' or '.join(wanted)}; {len(items)} in all."


def work_item_tools(ledger: WorkItemLedger) -> tuple[AgentTool, ...]:
    return (_Create(ledger), _Comment(ledger), _Update(ledger), _List(ledger))


async def _answer(work: Callable[[], str], context: ToolContext) -> ToolResult:
    """Off the event loop: the store locks and syncs."""
    try:
        return ToolResult.text(context.clean(await asyncio.to_thread(work)))
    except (AddonAuthorError, LookupError, OSError) as error:
        return ToolResult.error(context.clean(f"It did not work: {_words(error)}."))


def _words(error: Exception) -> str:
    return str(error.args[0]) if isinstance(error, LookupError) else str(error)


def _line(item: WorkItem) -> str:
    count = len(item.comments)
    comments = f", {count} comment{'s' if count > 1 else ''}" if count else ""
    return f"{item.id} [{item.status}] {' '.join(item.title.split())}{comments}"
