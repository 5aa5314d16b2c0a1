"""Ids of calls on the wire: the provider's own where it is usable, unique within a conversation."""

from __future__ import annotations

import re

from induscode.kernel.jsontext import digest

__all__ = ["WireIds"]

_USABLE = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")


class WireIds:
    """Providers repeat ids, and one provider's id may be unacceptable to another."""

    def __init__(self) -> None:
        self._given: set[str] = set()
        self._repeats: dict[str, int] = {}

    def assign(self, provider_id: str) -> str:
        base = provider_id
        if not _USABLE.match(base):
            base = f"call_{digest(provider_id.encode(errors='replace'))[:16]}"
        wire_id = base
        while wire_id in self._given:
            count = self._repeats.get(base, 1) + 1
            self._repeats[base] = count
            wire_id = f"{base[:48]}-{count}"
        self._given.add(wire_id)
        return wire_id
