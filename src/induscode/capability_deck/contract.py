"""The shapes everything of the deck is written against: no I/O, no other module of the deck.

A capability is the kernel's tool itself: the deck manages tools and adds no descriptor of its own.
The shapes of the bridge ledger and its fold are part of it, and come when they are first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NewType, Protocol, Self, TypeAlias, TypeVar

from msgspec import Struct

from induscode.kernel.cancel import CancelToken
from induscode.kernel.tool import (
    AgentTool,
    Filesystem,
    ReadState,
    Shell,
    ToolContext,
    ToolKind,
    ToolResult,
)
from induscode.policy.subject import NoSubject, Subject
from induscode.tools.web.settings import WebAccess

if TYPE_CHECKING:
    from induscode.capability_deck.bridge_ledger.events import (
        BridgeEntry,
        BridgeKey,
        BridgeOp,
        LedgerSnapshot,
        bridge_key,
    )
    from induscode.capability_deck.bridge_ledger.fold import reduce_ledger

__all__ = [
    "PLAIN_WORDS",
    "AnyCapability",
    "BridgeEntry",
    "BridgeKey",
    "BridgeOp",
    "BuildFn",
    "Capability",
    "CapabilityCard",
    "CapabilityId",
    "Card",
    "CheckpointStore",
    "DeckBox",
    "DeckContext",
    "DeckFault",
    "DeckFaultKind",
    "DeckFramework",
    "DeckProfile",
    "DeckResult",
    "DelegateRunner",
    "LedgerSnapshot",
    "MemoryScope",
    "MemoryStore",
    "Profile",
    "SaasGatewayPort",
    "Schema",
    "SubjectFn",
    "ToolBox",
    "ToolDeck",
    "ToolOutcome",
    "bridge_key",
    "capability_id",
    "deck_fault",
    "profile_named",
    "reduce_ledger",
]

_LEDGER = {
    **dict.fromkeys(("BridgeEntry", "BridgeKey", "BridgeOp", "LedgerSnapshot"), "events"),
    "bridge_key": "events",
    "reduce_ledger": "fold",
}

Capability: TypeAlias = AgentTool
AnyCapability: TypeAlias = AgentTool
Card: TypeAlias = AgentTool
DeckBox: TypeAlias = list[AgentTool]
Schema: TypeAlias = Mapping[str, Any]

CapabilityId = NewType("CapabilityId", str)
"""The name by which models call a tool: `read`, `bash`, `<server>__<tool>`."""


def capability_id(name: str) -> CapabilityId:
    """The one way to a `CapabilityId`; the name stays as it is."""
    return CapabilityId(name)


class Profile(StrEnum):
    """The named sets of tools. The names do not say what one expects, and stay so: authoring only
    observes, survey has every built-in tool, all adds the app cards."""

    AUTHORING = "authoring"
    SURVEY = "survey"
    ALL = "all"


PLAIN_WORDS: Mapping[str, Profile] = {"read-only": Profile.AUTHORING, "coding": Profile.SURVEY}
"""What people may say for the two whose names mislead."""

DeckProfile = Literal["authoring", "survey", "all"]

DeckFaultKind = Literal["unknown_capability", "build_failed", "bridge", "backend"]


class DeckFault(Exception):
    """A failure of the deck. `kind` says which, `cause` what was underneath, if anything was."""

    def __init__(
        self, kind: DeckFaultKind, message: str, cause: BaseException | None = None
    ) -> None:
        super().__init__(message)
        self.kind: DeckFaultKind = kind
        self.message = message
        self.cause = cause
        self.__cause__ = cause


def deck_fault(kind: DeckFaultKind, message: str, cause: BaseException | None = None) -> DeckFault:
    """Mint a fault; the caller raises it or carries it."""
    return DeckFault(kind, message, cause)


def profile_named(name: str) -> Profile:
    """Raises `DeckFault` of kind unknown_capability."""
    try:
        return Profile(name)
    except ValueError:
        known = ", ".join(Profile)
        raise deck_fault(
            "unknown_capability", f"there is no profile {name!r}; known: {known}"
        ) from None


Value = TypeVar("Value")
DeckResult: TypeAlias = Value | DeckFault
"""What an operation returns that tells a fault instead of raising it."""


class CheckpointStore(Protocol):
    """Keeps what files were before they were changed."""

    def record(self, path: Path, previous: bytes | None) -> None:
        """File the content as it is before a change; None means that there is no file, so that a
        restore deletes it. Within one step the first record of a path is kept."""
        ...


class DelegateRunner(Protocol):
    """Runs a sub-agent to its end."""

    def list_agents(self) -> Sequence[str]:
        """The names a call may give as `agent`."""
        ...

    async def delegate(
        self, objective: str, *, agent: str | None, context: str | None, call: ToolContext
    ) -> ToolResult:
        """The answer, within the call that asked for it: it is cancelled with that call."""
        ...


class SaasGatewayPort(Protocol):
    """Calls operations of services on the user's behalf."""

    async def discover(
        self, query: str | None, *, slug: str | None, context: ToolContext
    ) -> ToolResult:
        """The operations there are, those that fit `query` first; with a `slug`, all about one."""
        ...

    async def execute(
        self, slug: str, arguments: Mapping[str, Any], *, context: ToolContext
    ) -> ToolResult:
        """Call one. `slug` is what `discover` named, unchanged."""
        ...

    def host_of(self, slug: str) -> str | None:
        """The host that `execute` would reach, for the gate; None when nothing says. Never
        raises."""
        ...


class MemoryScope(StrEnum):
    """Whose notes: of this workspace, or of the user everywhere."""

    WORKSPACE = "workspace"
    USER = "user"


class MemoryStore(Protocol):
    """Notes that outlive a conversation, as one text per scope. Whatever cannot be kept or read
    raises `DeckFault` of kind backend, with what to do about it, and changes nothing."""

    def read(self, scope: MemoryScope = MemoryScope.WORKSPACE) -> str: ...

    def replace(self, content: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> None: ...

    def append(self, content: str, scope: MemoryScope = MemoryScope.WORKSPACE) -> None:
        """`content` begins a new line."""
        ...


class DeckFramework(Struct, frozen=True):
    """Handles that a host may inject, each absent by default. A card without its handle says so in
    its result, or makes do with a store of its own."""

    read_state: ReadState | None = None
    checkpoint: CheckpointStore | None = None
    delegate: DelegateRunner | None = None
    saas: SaasGatewayPort | None = None
    memory: MemoryStore | None = None
    web: WebAccess = WebAccess()


class DeckContext(Struct, frozen=True):
    """What tools are built for. `fs` and `shell`, where given, stand in for this machine's."""

    cwd: Path
    framework: DeckFramework = DeckFramework()
    fs: Filesystem | None = None
    shell: Shell | None = None


BuildFn = Callable[[DeckContext], Capability]
SubjectFn = Callable[[Mapping[str, Any], DeckContext], Subject]
"""What a call is about, for the gate: from its arguments and where its tool was built for. Never
raises."""


def _nothing(arguments: Mapping[str, Any], ctx: DeckContext) -> Subject:
    del arguments, ctx
    return NoSubject()


class CapabilityCard(Struct, frozen=True):
    """One row of the catalog. `build` mints the tool for a context and changes nothing shared.

    What the host adds to it: the `feature` that contributes the tool, its `kind` and how to find
    the `subject` of a call. A card that does not say is foreign, and judged as such.
    """

    id: CapabilityId
    title: str
    summary: str
    profiles: tuple[Profile, ...]
    build: BuildFn
    feature: str = ""
    kind: ToolKind = ToolKind.FOREIGN
    subject: SubjectFn = _nothing

    def in_profile(self, profile: Profile) -> bool:
        """`all` means every card; the other profiles those that are members."""
        return profile is Profile.ALL or profile in self.profiles


class ToolOutcome(Struct, frozen=True):
    """What running a call by name came to: `output` is a text, a value, or a list of fragments."""

    output: Any
    is_error: bool = False


class ToolBox(Protocol):
    """Tools to be called by name: what a model is told of them, and how a call is run."""

    def descriptors(self) -> list[dict[str, Any]]: ...

    async def run(
        self, name: str, arguments: Mapping[str, Any], cancel: CancelToken | None = None
    ) -> ToolOutcome:
        """Never raises: an unknown name, and whatever a tool does, is an outcome."""
        ...

    async def close(self) -> None:
        """End what its calls left running. A box is also an asynchronous context manager."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...


class ToolDeck(Protocol):
    """Tools built for one context. A deck is a value: every change of it is another deck."""

    @property
    def faults(self) -> tuple[DeckFault, ...]:
        """Cards that could not be built, and grafts whose name was taken."""
        ...

    def tools(self) -> list[Capability]:
        """A list of one's own; the tools in it are always the same ones."""
        ...

    def box(self) -> DeckBox: ...

    def retain(self, keep: Callable[[Capability], bool]) -> ToolDeck: ...

    def graft(self, extra: Iterable[Capability]) -> ToolDeck:
        """More tools after the ones there are, which keep their names."""
        ...

    def map_capabilities(self, change: Callable[[Capability], Capability]) -> ToolDeck: ...

    def tool_box(self) -> ToolBox: ...

    def into_tool_box(self) -> ToolBox: ...


def __getattr__(name: str) -> object:
    home = _LEDGER.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"induscode.capability_deck.bridge_ledger.{home}"), name)
