"""Commands that a person gives at the prompt as `/name arguments`."""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from induscode.feature.capability import AnyCapability
from induscode.feature.lending import Lease, lent
from induscode.kernel.provenance import SourcePart

__all__ = [
    "BroughtNotice",
    "CommandContribution",
    "CommandDeclaration",
    "CommandOutcome",
    "CommandPort",
    "CommandRegistrar",
    "FeatureCommand",
    "Say",
    "Submit",
    "typed_line",
]


class Say(Struct, frozen=True, tag="say"):
    """A text for the person. The model does not see it."""

    text: str


class BroughtNotice(Struct, frozen=True):
    """A text for the model that comes before the input, under the name of the command's feature.
    `sources` say which files and lines stand behind it; a `pinned` one survives compaction."""

    text: str
    sources: tuple[SourcePart, ...] = ()
    pinned: bool = False


class Submit(Struct, frozen=True, tag="submit"):
    """A text that becomes the person's input, as if typed: an entry before the model sees it.

    With `only`, rules as `--allow` takes them, a call may run in the turn only when one of them
    speaks of it, and never because of it: a command can narrow, not allow. `sources` say which
    files and lines stand behind the text, `notices` come before it; the host takes both from
    features that ship with it and from nobody else."""

    text: str
    only: tuple[str, ...] | None = None
    sources: tuple[SourcePart, ...] = ()
    notices: tuple[BroughtNotice, ...] = ()


CommandOutcome = Say | Submit


class FeatureCommand(Protocol):
    async def run(self, arguments: str) -> CommandOutcome: ...


class CommandDeclaration(Struct, frozen=True):
    """`exec` is the one line for the shell that the command stands for, "" where it stands for
    none: whoever grants the command grants that line, followed by what a person types after the
    name, and no other."""

    name: str
    description: str = ""
    exec: str = ""


def typed_line(exec_: str, arguments: str) -> str:
    """The line that a declared command comes to with what was typed after its name; "" for a
    command without one."""
    return f"{exec_} {arguments}" if exec_ and arguments else exec_


class CommandContribution(Struct, frozen=True):
    name: str
    command: FeatureCommand
    required_capabilities: tuple[AnyCapability, ...] = ()
    feature_id: str = ""


class CommandPort(Protocol):
    def command(self, contribution: CommandContribution) -> None: ...


class CommandRegistrar:
    __slots__ = ("lease",)

    def __init__(self, lease: Lease[CommandPort]) -> None:
        self.lease = lease

    def register(self, contribution: CommandContribution) -> None:
        """Raises as `ToolRegistrar.register` does."""
        lent(self.lease).command(contribution)
