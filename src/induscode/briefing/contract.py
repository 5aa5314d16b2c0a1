"""The shapes of the briefing: data, limits and the one fault. No I/O, nothing but types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

from msgspec import Struct

from induscode.errors import IndusError

__all__ = [
    "SKILL_DESCRIPTION_LIMIT",
    "SKILL_NAME_LIMIT",
    "All",
    "BriefingContext",
    "BriefingFault",
    "BriefingFaultKind",
    "BriefingInput",
    "BriefingSection",
    "ComposeOptions",
    "ContextDoc",
    "DocNote",
    "Gathered",
    "Literal",
    "Macro",
    "MacroDef",
    "MacroLoad",
    "MacroOrigin",
    "MacroScope",
    "MacroToken",
    "Positional",
    "SectionFn",
    "SkillCard",
    "SkillDiagnostic",
    "SkillFrontmatter",
    "SkillLoad",
    "SkillOutcomeKind",
    "SkillRoot",
    "Slice",
    "SubagentBrief",
    "ToolDoc",
]

SKILL_NAME_LIMIT = 64
SKILL_DESCRIPTION_LIMIT = 1024


class ToolDoc(Struct, frozen=True):
    """A tool that the model may call, as the briefing sees it."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] | None = None


class ContextDoc(Struct, frozen=True):
    """A document of standing instructions. `path` is its heading. `file` and `line` say where the
    body begins, `importer` (`FILE:LINE`) which document brought it in; `cut` counts the bytes of it
    that did not fit."""

    path: str
    body: str
    file: str = ""
    line: int = 1
    importer: str = ""
    cut: int = 0


class DocNote(Struct, frozen=True):
    """Something a person should know about a document. `file` is its heading; `line` is 0 where the
    whole of it is meant."""

    file: str
    line: int
    reason: str

    def sentence(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


class Gathered(Struct, frozen=True):
    """`left_out` are the headings of documents for which there was no room."""

    docs: tuple[ContextDoc, ...] = ()
    notes: tuple[DocNote, ...] = ()
    left_out: tuple[str, ...] = ()


class SubagentBrief(Struct, frozen=True):
    """An agent that work can be handed to. `file` is where it is described."""

    name: str
    purpose: str
    when: str | None = None
    file: str = ""


class MacroOrigin(StrEnum):
    """Where a macro or a skill was found."""

    USER = "user"
    PROJECT = "project"
    PATH = "path"
    BUILTIN = "builtin"

    def label(self) -> str:
        return f"({self.value})"


class MacroDef(Struct, frozen=True):
    """A prompt with a name. `source` is its file, `line` where its body begins there. `hint` names
    the arguments. With `allowed_tools` only those may be called in the turn it begins, whatever
    else is allowed; `model` is a wish of its author that the host does not follow."""

    name: str
    description: str
    body: str
    origin: MacroOrigin
    source: Path
    line: int = 1
    hint: str = ""
    allowed_tools: tuple[str, ...] | None = None
    model: str = ""


Macro = MacroDef


class MacroLoad(Struct, frozen=True):
    """What there is, and a sentence about each thing that is not, or not as its author meant."""

    macros: tuple[MacroDef, ...] = ()
    faults: tuple[str, ...] = ()


class MacroScope(Struct, frozen=True):
    """What placeholders stand for: the arguments, all of them joined, the line as it was given."""

    args: tuple[str, ...] = ()
    all: str = ""
    raw: str = ""


class Literal(Struct, frozen=True, tag="literal"):
    text: str


class Positional(Struct, frozen=True, tag="positional"):
    """Counted from 1."""

    number: int


class All(Struct, frozen=True, tag="all"):
    pass


class Slice(Struct, frozen=True, tag="slice"):
    """`start` is counted from 1; without a `length`, all the rest."""

    start: int
    length: int | None = None


MacroToken = Literal | Positional | All | Slice


class SkillFrontmatter(Struct, frozen=True):
    """The header of a skill. `unknown` are its keys that the format does not have."""

    name: str | None = None
    description: str | None = None
    license: str | None = None
    compatibility: str | None = None
    metadata: Mapping[str, Any] | None = None
    allowed_tools: tuple[str, ...] | None = None
    disable_model_invocation: bool = False
    unknown: tuple[str, ...] = ()


class SkillCard(Struct, frozen=True):
    """Documentation that the model reads on demand, never a callable. `location` is absolute; the
    `body` begins at `body_line` of it, the description stands at `line`."""

    name: str
    description: str
    body: str
    location: Path
    origin: MacroOrigin
    frontmatter: SkillFrontmatter
    line: int = 1
    body_line: int = 1


class SkillOutcomeKind(StrEnum):
    LOADED = "loaded"
    SKIPPED = "skipped"
    INVALID = "invalid"
    COLLISION = "collision"


class SkillDiagnostic(Struct, frozen=True):
    """What became of one candidate. `notes` are about what loaded all the same."""

    kind: SkillOutcomeKind
    location: Path
    detail: str
    notes: tuple[str, ...] = ()


class SkillLoad(Struct, frozen=True):
    cards: tuple[SkillCard, ...] = ()
    diagnostics: tuple[SkillDiagnostic, ...] = ()


class SkillRoot(Struct, frozen=True):
    """A folder of skills. In a `lenient` one, a key that the format does not have is a note and not
    an error: such folders are shared with other programs. None: as the folder's name says."""

    dir: Path
    origin: MacroOrigin
    lenient: bool | None = None


class BriefingInput(Struct, frozen=True):
    """All that sections read. `left_out` names context documents that had no room; `unlisted`
    counts skills that have none, which `skill_search` finds when it is among the tools."""

    workspace: str | None = None
    tools: tuple[ToolDoc, ...] = ()
    cwd: str | None = None
    skills: tuple[SkillCard, ...] = ()
    subagents: tuple[SubagentBrief, ...] = ()
    context_docs: tuple[ContextDoc, ...] = ()
    now_ms: int | None = None
    left_out: tuple[str, ...] = ()
    unlisted: int = 0


BriefingContext = BriefingInput


class ComposeOptions(Struct, frozen=True):
    """`system` takes the place of the recipe; `prelude` and `append_system` stand around either."""

    system: str | None = None
    prelude: str | None = None
    append_system: str | None = None


SectionFn = Callable[[BriefingInput], str | None]
"""One section: its text, or None where it does not apply. It changes nothing and reads no file."""

BriefingSection = SectionFn


class BriefingFaultKind(StrEnum):
    MACRO_INVALID = "macro invalid"
    SKILL_INVALID = "skill invalid"


class BriefingFault(IndusError):
    """A macro or a skill that cannot be used; it costs only itself."""

    def __init__(self, kind: BriefingFaultKind, detail: str) -> None:
        super().__init__(f"{kind.value}: {detail}")
        self.kind = kind
        self.detail = detail
