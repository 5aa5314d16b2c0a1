"""The one line that a person is told about what waits for trust, and how items are named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from induscode.channels.terminal import exact
from induscode.policy.belongings import Belonging, Kind
from induscode.policy.trust import ItemState, State, Trust

__all__ = ["KIND_NAMES", "few", "shown_path", "waiting_line"]

_MAX_NAMED = 8
_MAX_SHOWN = 100
KIND_NAMES: Mapping[Kind, tuple[str, str]] = {
    Kind.ADDON: ("addon", "addons"),
    Kind.MCP: ("MCP file", "MCP files"),
    Kind.SKILL: ("skill", "skills"),
    Kind.COMMAND: ("command", "commands"),
    Kind.AGENT: ("agent", "agents"),
    Kind.CONTEXT: ("context document", "context documents"),
    Kind.SETTINGS: ("settings file", "settings files"),
    Kind.HOOKS: ("hooks file", "hooks files"),
    Kind.PLUGIN: ("plugin", "plugins"),
}
"""Each kind in words: of one, of several."""


def waiting_line(trust: Trust, states: Sequence[ItemState] | None = None) -> str:
    """One line about what waits, of all items or of these, and what to do about it; empty when
    nothing does."""
    if not trust.items:
        return ""
    states = trust.states() if states is None else states
    waiting = _in(states, State.WAITING)
    new = _in(states, State.NEW)
    changed = _in(states, State.CHANGED)
    refused = [each for each in states if each.state is State.REFUSED]
    named = [f"{shown_path(each.item)} ({exact(each.reason)})" for each in refused]
    parts = (
        f"this workspace is not trusted, so these wait: {_summary(waiting)}" if waiting else "",
        f"new since you trusted this workspace, so it waits: {_summary(new)}" if new else "",
        f"changed since you trusted it, so it waits: {_names(changed)}" if changed else "",
        f"cannot be trusted as it is: {few(named)}" if refused else "",
    )
    said = [part for part in parts if part]
    if not said:
        return ""
    said.append("look: indus trust show")
    if trust.barred:
        said.append(trust.barred)
    elif waiting or new or changed:
        said.append("accept: indus trust grant")
    return "; ".join(said)


def _in(states: Iterable[ItemState], state: State) -> list[Belonging]:
    return [each.item for each in states if each.state is state]


def _summary(items: list[Belonging]) -> str:
    """Counts by kind; every name when they are few, else the first."""
    said: list[str] = []
    room = len(items) if len(items) <= _MAX_NAMED else _MAX_NAMED // 2
    for kind, (one, several) in KIND_NAMES.items():
        here = [item for item in items if item.kind is kind]
        if not here:
            continue
        named, room = here[: max(room, 1)], room - len(here)
        more = ", ..." if len(named) < len(here) else ""
        count = f"{len(here)} {one if len(here) == 1 else several}"
        said.append(f"{count} ({', '.join(map(shown_path, named))}{more})")
    return ", ".join(said)


def _names(items: list[Belonging]) -> str:
    return few([shown_path(item) for item in items])


def few(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _MAX_NAMED
    return ", ".join(names[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def shown_path(item: Belonging) -> str:
    """The item's path on one line of a terminal, every character of it visible."""
    path = exact(item.path).replace("\n", "\u240a")
    return path if len(path) <= _MAX_SHOWN else path[:_MAX_SHOWN] + "..."
