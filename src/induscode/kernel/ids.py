"""Time-sortable identifiers: 26 characters of Crockford base 32 (ULID), in lower case.

Two ids minted by one process in the same millisecond still sort in the order they were minted.
"""

from __future__ import annotations

import os

from induscode.kernel.clock import Clock

__all__ = ["ID_LENGTH", "IdMint"]

ID_LENGTH = 26
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [high + low for high in _ALPHABET for low in _ALPHABET]
_RANDOM_BITS = 80


class IdMint:
    """Mints ids for one process; `entropy` is injectable for tests."""

    def __init__(self, clock: Clock, entropy: bytes | None = None) -> None:
        self._clock = clock
        self._entropy = entropy
        self._last = 0

    def mint(self) -> str:
        noise = self._entropy or os.urandom(_RANDOM_BITS // 8)
        fresh = self._clock.now_ms() << _RANDOM_BITS | int.from_bytes(noise)
        newer = fresh >> _RANDOM_BITS > self._last >> _RANDOM_BITS
        value = fresh if newer else self._last + 1
        self._last = value
        return "".join([_PAIRS[(value >> shift) & 1023] for shift in range(120, -1, -10)])
