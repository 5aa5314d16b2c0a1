"""The one seam to the native tools: a table of twelve rows, and views of it.

The tools package makes the tools. A row binds one to a context, gives it a title, and says what the
host knows of it. The order of the rows is the order in which models see the tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from induscode.capability_deck import groups, subjects
from induscode.capability_deck.contract import (
    Capability,
    CapabilityCard,
    CapabilityId,
    DeckContext,
    DeckFault,
    Profile,
    SubjectFn,
    capability_id,
    profile_named,
)
from induscode.kernel.tool import AgentTool, ToolContext, ToolKind, ToolResult
from induscode.tools import native
from induscode.tools.bounded import bounded
from induscode.tools.limits import READ_RESULT_CHARACTERS, RESULT_CHARACTERS
from induscode.tools.validated import validated

__all__ = [
    "MUTATING",
    "READ_ONLY",
    "BridgeBuilder",
    "BuiltinCard",
    "BuiltinDescriptor",
    "build_builtin",
    "build_builtins_for_profile",
    "builtin_bridge",
    "builtin_cards",
    "builtin_descriptors",
    "builtin_ids",
    "builtin_profiles",
]

READ_ONLY = (Profile.AUTHORING, Profile.SURVEY)
MUTATING = (Profile.SURVEY,)

BridgeBuilder = Callable[[DeckContext], Capability]


class BuiltinCard:
    """A native tool bound to a context: it works from the context's directory, with the context's
    file system and shell where they are given, and with those of the call where not."""

    def __init__(self, tool: AgentTool, label: str, ctx: DeckContext, *, read_only: bool) -> None:
        self.name = tool.name
        self.label = label
        self.description = tool.description
        self.parameters = tool.parameters
        self.read_only = read_only
        self._tool = tool
        self._ctx = ctx

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        bound = replace(
            context,
            cwd=self._ctx.cwd,
            fs=self._ctx.fs or context.fs,
            shell=self._ctx.shell or context.shell,
            read_state=self._ctx.framework.read_state or context.read_state,
        )
        return await self._tool.execute(arguments, bound)


class BuiltinDescriptor(Struct, frozen=True):
    """One row. `limit` bounds the text of a result."""

    id: CapabilityId
    title: str
    summary: str
    profiles: tuple[Profile, ...]
    create: BridgeBuilder
    feature: str
    kind: ToolKind
    subject: SubjectFn
    limit: int = RESULT_CHARACTERS

    @property
    def read_only(self) -> bool:
        """Derived, so that the membership and the flag cannot say different things."""
        return Profile.AUTHORING in self.profiles

    def build(self, ctx: DeckContext) -> Capability:
        """Validation stands inside the bound, so that every answer is bounded, refusals too."""
        card = BuiltinCard(self.create(ctx), self.title, ctx, read_only=self.read_only)
        return bounded(validated(card), limit=self.limit)

    def card(self) -> CapabilityCard:
        return CapabilityCard(
            id=self.id,
            title=self.title,
            summary=self.summary,
            profiles=self.profiles,
            build=self.build,
            feature=self.feature,
            kind=self.kind,
            subject=self.subject,
        )


def _free(create: Callable[[], AgentTool]) -> BridgeBuilder:
    """A factory that needs nothing of the context."""
    return lambda _: create()


_DESCRIPTORS = (
    BuiltinDescriptor(
        id=capability_id("read"),
        title="Read file",
        summary="Open a file's contents for inspection.",
        profiles=READ_ONLY,
        create=_free(native.create_read_tool),
        feature=groups.FILES,
        kind=ToolKind.READ,
        subject=subjects.reads_file,
        limit=READ_RESULT_CHARACTERS,
    ),
    BuiltinDescriptor(
        id=capability_id("ls"),
        title="List directory",
        summary="List the entries of a directory.",
        profiles=READ_ONLY,
        create=_free(native.create_ls_tool),
        feature=groups.FILES,
        kind=ToolKind.READ,
        subject=subjects.reads_below,
    ),
    BuiltinDescriptor(
        id=capability_id("grep"),
        title="Search file contents",
        summary="Search file contents by pattern across the tree.",
        profiles=READ_ONLY,
        create=_free(native.create_grep_tool),
        feature=groups.SEARCH,
        kind=ToolKind.READ,
        subject=subjects.reads_below,
    ),
    BuiltinDescriptor(
        id=capability_id("find"),
        title="Find files by name",
        summary="Locate files and directories by name or glob.",
        profiles=READ_ONLY,
        create=_free(native.create_find_tool),
        feature=groups.SEARCH,
        kind=ToolKind.READ,
        subject=subjects.reads_below,
    ),
    BuiltinDescriptor(
        id=capability_id("websearch"),
        title="Web search",
        summary="Query the web for current information.",
        profiles=READ_ONLY,
        create=lambda ctx: native.create_web_search_tool(ctx.framework.web),
        feature=groups.WEB,
        kind=ToolKind.NETWORK,
        subject=subjects.searches_the_web,
    ),
    BuiltinDescriptor(
        id=capability_id("webfetch"),
        title="Fetch URL",
        summary="Retrieve and read the contents of a URL.",
        profiles=READ_ONLY,
        create=lambda ctx: native.create_web_fetch_tool(ctx.framework.web),
        feature=groups.WEB,
        kind=ToolKind.NETWORK,
        subject=subjects.fetches,
    ),
    BuiltinDescriptor(
        id=capability_id("todo_read"),
        title="Read checklist",
        summary="Read back the current task checklist.",
        profiles=READ_ONLY,
        create=_free(native.create_todo_read_tool),
        feature=groups.CHECKLIST,
        kind=ToolKind.READ,
        subject=subjects.keeps_to_the_session,
    ),
    BuiltinDescriptor(
        id=capability_id("write"),
        title="Write file",
        summary="Create a new file or overwrite an existing one wholesale.",
        profiles=MUTATING,
        create=_free(native.create_write_tool),
        feature=groups.FILES,
        kind=ToolKind.WRITE,
        subject=subjects.writes_file,
    ),
    BuiltinDescriptor(
        id=capability_id("edit"),
        title="Edit file",
        summary="Apply a precise in-place change by matching exact existing text.",
        profiles=MUTATING,
        create=_free(native.create_edit_tool),
        feature=groups.FILES,
        kind=ToolKind.WRITE,
        subject=subjects.writes_file,
    ),
    BuiltinDescriptor(
        id=capability_id("bash"),
        title="Run shell command",
        summary="Run a shell command in the workspace.",
        profiles=MUTATING,
        create=_free(native.create_bash_tool),
        feature=groups.SHELL,
        kind=ToolKind.SHELL,
        subject=subjects.runs_command,
    ),
    BuiltinDescriptor(
        id=capability_id("process"),
        title="Manage background processes",
        summary="Run and watch a long-lived command.",
        profiles=MUTATING,
        create=_free(native.create_process_tool),
        feature=groups.SHELL,
        kind=ToolKind.SHELL,
        subject=subjects.manages_process,
    ),
    BuiltinDescriptor(
        id=capability_id("todo_set"),
        title="Update checklist",
        summary="Record or revise the task checklist.",
        profiles=MUTATING,
        create=_free(native.create_todo_set_tool),
        feature=groups.CHECKLIST,
        kind=ToolKind.STATE,
        subject=subjects.keeps_to_the_session,
    ),
)


def builtin_descriptors() -> tuple[BuiltinDescriptor, ...]:
    """The table itself, in order."""
    return _DESCRIPTORS


def builtin_bridge() -> Mapping[CapabilityId, BuiltinDescriptor]:
    return MappingProxyType({row.id: row for row in _DESCRIPTORS})


def builtin_ids() -> tuple[CapabilityId, ...]:
    return tuple(row.id for row in _DESCRIPTORS)


def builtin_profiles() -> Mapping[CapabilityId, tuple[Profile, ...]]:
    return MappingProxyType({row.id: row.profiles for row in _DESCRIPTORS})


def builtin_cards() -> tuple[CapabilityCard, ...]:
    """Each row as a card of the catalog."""
    return tuple(row.card() for row in _DESCRIPTORS)


def build_builtin(name: str, ctx: DeckContext) -> Capability:
    """Raises `DeckFault` of kind unknown_capability for a name that is not in the table."""
    row = builtin_bridge().get(capability_id(name))
    if row is None:
        known = ", ".join(builtin_ids())
        raise DeckFault("unknown_capability", f"there is no built-in tool {name!r}; known: {known}")
    return row.build(ctx)


def build_builtins_for_profile(profile: str, ctx: DeckContext) -> list[Capability]:
    """Every built-in that the profile admits. Raises `DeckFault` for an unknown profile."""
    wanted = profile_named(profile)
    return [card.build(ctx) for card in builtin_cards() if card.in_profile(wanted)]
