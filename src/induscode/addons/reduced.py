"""What a transform returned as a whole, reduced to what it changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeVar, cast

from induscode.addons.contract import (
    AddonFault,
    AddonFaultKind,
    ContextMessage,
    ContextPayload,
)

__all__ = ["context_of", "differences", "lines_changed"]

V = TypeVar("V")


def context_of(texts: Iterable[tuple[str, str, str]]) -> ContextPayload:
    """The context as an addon sees it, from what the host shows: entry, role and text of each. What
    one entry says in several pieces is one message."""
    said: dict[str, tuple[str, list[str]]] = {}
    for entry, role, text in texts:
        said.setdefault(entry, (role, []))[1].append(text)
    return ContextPayload(
        tuple(
            ContextMessage(cast("Literal['user', 'assistant']", role), "\n".join(pieces), entry)
            for entry, (role, pieces) in said.items()
        )
    )


def lines_changed(
    before: ContextPayload, after: ContextPayload
) -> tuple[dict[str, str | None], tuple[str, ...]]:
    """New texts by entry (None for one that was left out), and texts that were added at the end.

    Raises `AddonFault` for a context that is another one: messages in another order, an entry that
    was not there, a new message between old ones, another role.
    """
    known = {one.entry: one for one in before.messages}
    kept = [one for one in after.messages if one.entry]
    added = [one for one in after.messages if not one.entry]
    left = {one.entry for one in kept}
    order = [one.entry for one in before.messages if one.entry in left]
    if [one.entry for one in kept] != order or after.messages != (*kept, *added):
        raise _refused("messages keep their order and their entries; new ones come last")
    if any(one.role != known[one.entry].role for one in kept):
        raise _refused("a message keeps its role")
    if any(one.role != "user" for one in added):
        raise _refused("a message that is added has the role user")
    changed: dict[str, str | None] = {
        one.entry: one.text for one in kept if one.text != known[one.entry].text
    }
    changed.update((entry, None) for entry in known if entry not in left)
    return changed, tuple(one.text for one in added)


def differences(before: Mapping[str, V], after: Mapping[str, V]) -> dict[str, V | None]:
    """What differs; None for what is gone."""
    changed: dict[str, V | None] = {
        name: value for name, value in after.items() if name not in before or before[name] != value
    }
    changed.update((name, None) for name in before if name not in after)
    return changed


def _refused(rule: str) -> AddonFault:
    return AddonFault(AddonFaultKind.HANDLER, f"the context it returned cannot be taken: {rule}")
