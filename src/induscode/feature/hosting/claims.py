"""Who has which name. The first claimant keeps it.

Names are compared as a person, or a rule, would take one for the other: commands without case,
tools also without `_` and `-` and with the names of other agents put as ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from induscode.policy.aliases import tool_name

__all__ = ["Claim", "Claims", "Kind"]

Kind = Literal["tool", "hook", "task", "command", "fragment"]


class Claim(Struct, frozen=True):
    """`name` as its owner writes it."""

    owner: str
    name: str

    def told(self, name: str) -> str:
        """That `name` is taken, in words."""
        which = "this name" if name == self.name else f"the name {self.name}"
        return f"{self.owner} has {which} already"


class Claims:
    """The names of tools and commands; other contributions have theirs for themselves."""

    def __init__(self, tools: Mapping[str, str], commands: Mapping[str, str]) -> None:
        self._taken: dict[tuple[Kind, str], Claim] = {}
        for name, owner in tools.items():
            self.take("tool", name, owner)
        for name, owner in commands.items():
            self.take("command", name, owner)

    def take(self, kind: Kind, name: str, owner: str) -> None:
        if kind in {"tool", "command"}:
            self._taken.setdefault((kind, _key(kind, name)), Claim(owner, name))

    def of(self, kind: Kind, name: str) -> Claim | None:
        return self._taken.get((kind, _key(kind, name)))


def _key(kind: Kind, name: str) -> str:
    """The same for two names that cannot stand side by side."""
    match kind:
        case "tool":
            return tool_name(name)
        case "command":
            return name.casefold()
        case _:
            return name
