"""What a session records: one frozen type per entry, one JSON object per line on disk.

Header fields come first and are the same in every entry: `seq` counts lines from 1, `parent` is the
id of the entry this one follows (the log is a tree: a branch is an entry whose parent is not the
line before), `at` is UTC, `by` is the feature that produced it. `line.py` knows the bytes.

A type that this version does not know is read as `Foreign`: it says itself whether the model sees
it and as what text, so that a session opens without the addon that wrote it.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Raw, Struct, field

from induscode.kernel.model import StopReason, Usage
from induscode.kernel.provenance import SourcePart
from induscode.kernel.request import Parameters
from induscode.session.bridged import BridgedTool, GoneTool
from induscode.session.file_states import FileChange, Rewound, Unrestorable
from induscode.session.stored import StoredAnswer, StoredSaid

__all__ = [
    "FORMAT_VERSION",
    "KEPT",
    "Amendment",
    "Approval",
    "Bridge",
    "Briefing",
    "Checkpoint",
    "Compaction",
    "Delegate",
    "Delegator",
    "Entry",
    "Foreign",
    "Hook",
    "Input",
    "Install",
    "InstalledFeature",
    "Intent",
    "Interrupted",
    "KnownEntry",
    "ModeChange",
    "ModelChoice",
    "Narrowing",
    "Notice",
    "Operation",
    "Origin",
    "Quarantine",
    "Request",
    "Response",
    "Result",
    "SessionStart",
    "StoredSpan",
    "ToolRow",
    "Toolset",
]

FORMAT_VERSION = 1
KEPT = "kept"


class _Header(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True):
    seq: int = 0
    id: str = ""
    parent: str = field(default_factory=str)  # written even when empty: every entry has the header
    at: str = ""
    by: str = field(default_factory=str)


class Origin(Struct, frozen=True, gc=False):
    """Where a fork comes from."""

    session: str
    entry: str


class Delegator(Struct, frozen=True, gc=False):
    """Who handed its work to a session: the parent session, and the call there."""

    session: str
    call: str


class SessionStart(_Header, frozen=True, tag="session"):
    """Always the first entry. `indus` is the version that wrote it."""

    format: int
    session: str
    workspace: str
    cwd: str
    indus: str
    origin: Origin | None = None
    delegator: Delegator | None = None


class InstalledFeature(Struct, frozen=True, omit_defaults=True):
    """Who may produce entries: its id, the digest of what runs, and by which right."""

    id: str
    version: str
    package: str
    grant: str
    runtime: str = "builtin"


class Install(_Header, frozen=True, tag="install"):
    features: list[InstalledFeature]


class ModeChange(_Header, frozen=True, tag="mode"):
    mode: str
    reason: str = ""


class ModelChoice(_Header, frozen=True, tag="model"):
    """The model, its wire and how it is asked, from here on."""

    provider: str
    model: str
    wire: str
    parameters: Parameters
    reason: str = ""


class StoredSpan(Struct, frozen=True, omit_defaults=True):
    """A piece of the system prompt: its text here, or in the blob store under `sha256`. `parts` say
    which files and lines stand behind it; `lasting` is the digest of what of it is compared, where
    that is not all of it."""

    name: str
    by: str
    sha256: str
    size: int
    text: str | None = None
    source: str = ""
    parts: list[SourcePart] = []
    lasting: str = ""


class Briefing(_Header, frozen=True, tag="briefing"):
    """The system prompt from here on."""

    spans: list[StoredSpan]
    cause: str = ""


class Bridge(_Header, frozen=True, tag="bridge"):
    """What the tool set that follows depends on: tools of MCP servers that are live from here on,
    anew or as they are now, and those that are not any more. The rest stays as it was. `ledger` is
    the number of the event up to which the workspace's ledger was read."""

    ledger: int
    live: list[BridgedTool] = []
    gone: list[GoneTool] = []
    cause: str = ""


class ToolRow(Struct, frozen=True):
    """A tool of the set; its definition stands in the set's blob at the same position."""

    name: str
    by: str
    sha256: str
    size: int


class Toolset(_Header, frozen=True, tag="toolset"):
    """The tools from here on. The blob `sha256` is a JSON array of their definitions."""

    sha256: str
    tools: list[ToolRow]
    cause: str = ""


class Input(_Header, frozen=True, tag="input"):
    """What the person said. `steer` marks a message given while the agent worked; `mended` that
    characters which cannot be encoded were replaced. `parts` say which files and lines stand behind
    its first text, where a command made it."""

    content: list[StoredSaid]
    steer: bool = False
    mended: bool = False
    parts: list[SourcePart] = []


class Notice(_Header, frozen=True, tag="notice"):
    """Text that a feature or the host puts in front of the model. `pinned` survives compaction;
    `only` limits it to requests of one purpose. One that is only `KEPT` is in no request until a
    compaction keeps it. `parts` say which files and lines stand behind it."""

    text: str
    pinned: bool = False
    only: str = ""
    parts: list[SourcePart] = []


class Narrowing(_Header, frozen=True, tag="narrowing"):
    """Until the turn ends, a call may only run when one of `rules` speaks of it. `why` says in
    words who wants that."""

    why: str
    rules: list[str]


class Request(_Header, frozen=True, tag="request"):
    """Written before dispatch. `body_sha256` is the digest of the exact bytes sent. A retry names
    the first request (`retry_of`), whose bytes it repeats, with its attempt and reason. `trail`
    fingerprints what is new in it, by JSON path (see `trail.py`)."""

    body_sha256: str
    body_bytes: int
    encoder: str
    purpose: Literal["turn", "compaction"] = "turn"
    attempt: int = 1
    retry_of: str = ""
    reason: str = ""
    trail: dict[str, str] = {}


class Response(_Header, frozen=True, tag="response"):
    """What came back. A partial one is kept and never projected. `cost` is in USD, from this
    answer's own usage, None when the price is unknown; `notes` tell what happened on the way."""

    request: str
    content: list[StoredAnswer]
    stop: StopReason
    usage: Usage
    wire: str
    model: str
    cost: float | None = None
    error: str = ""
    notes: list[str] = []


class Intent(_Header, frozen=True, tag="intent"):
    """A tool is about to run. `call` is `<response id>/<position>`. Arguments stand here only when
    they were rewritten, with who did it."""

    call: str
    tool: str
    arguments_sha256: str
    effects: bool
    arguments: dict[str, Any] | None = None
    rewritten_by: str = ""
    environment: dict[str, Any] | None = None


class Delegate(_Header, frozen=True, tag="delegate"):
    """A call hands its work to a session of its own, which begins after this is on disk. `agent` is
    the profile it works under."""

    call: str
    session: str
    agent: str = ""


class Result(_Header, frozen=True, tag="result"):
    """How a call ended. `outcome`: ok, error (the tool's failure), denied (a rule, a gate or a
    person), refused (nobody to ask), invalid (broken arguments, unknown tool)."""

    call: str
    tool: str
    content: list[StoredSaid]
    outcome: Literal["ok", "error", "denied", "refused", "invalid"]
    display: str | None = None
    details: dict[str, Any] | None = None


class Interrupted(_Header, frozen=True, tag="interrupted"):
    """A call that has no result and never will: `started` tells "outcome unknown" from "never
    ran". Its text is what the model is told."""

    call: str
    tool: str
    started: bool
    text: str


class Approval(_Header, frozen=True, tag="approval"):
    """A question to a person and its answer. A record, never an authority."""

    call: str
    tool: str
    question: str
    answer: Literal["once", "session", "always", "no", "nobody", "timeout"]
    rule: str = ""
    reason: str = ""


class Hook(_Header, frozen=True, tag="hook"):
    """A decision other than "continue" at a hook point, or what a feature did itself."""

    point: str
    decision: str
    target: str = ""
    reason: str = ""
    before: str = ""
    after: str = ""


class Operation(Struct, frozen=True, omit_defaults=True):
    """One change to what the model sees of an earlier entry."""

    op: Literal["replace", "omit", "append"]
    target: str
    content: list[StoredSaid] = []
    before: str = ""
    after: str = ""


class Amendment(_Header, frozen=True, tag="amendment"):
    """Changes to the projected context, and to the parameters, from here on."""

    operations: list[Operation] = []
    parameters: dict[str, Raw] = {}


class Compaction(_Header, frozen=True, tag="compaction"):
    """Replaces what `first` to `last` put in front of the model by `summary`; `pinned` names the
    entries whose text stays, word for word. `request` is the one that made the summary."""

    first: str
    last: str
    summary: str
    pinned: list[str]
    request: str = ""


class Checkpoint(_Header, frozen=True, tag="checkpoint"):
    """What a step changed in files, so that it can be undone (see the checkpoint package). `call`
    and `tool` say which step; a rewind is a step of its own and says where it went. `root` is the
    folder that paths are relative to, where that is not the session's workspace."""

    files: list[FileChange] = []
    call: str = ""
    tool: str = ""
    unrestorable: list[Unrestorable] = []
    root: str = ""
    rewind: Rewound | None = None


class Quarantine(_Header, frozen=True, tag="quarantine"):
    """Names bytes of this file that cannot be read as entries. `after_seq` is the last readable
    entry before them."""

    offset: int
    length: int
    sha256: str
    after_seq: int
    reason: str


class Foreign(_Header, frozen=True):
    """An entry of a type this version does not know. `fields` is its whole line."""

    type: str = ""
    visible: bool = False
    text: str = ""
    fields: Raw = Raw(b"{}")


KnownEntry = (
    SessionStart
    | Install
    | ModeChange
    | ModelChoice
    | Briefing
    | Bridge
    | Toolset
    | Input
    | Notice
    | Narrowing
    | Request
    | Response
    | Intent
    | Delegate
    | Result
    | Interrupted
    | Approval
    | Hook
    | Amendment
    | Compaction
    | Checkpoint
    | Quarantine
)

Entry = KnownEntry | Foreign
