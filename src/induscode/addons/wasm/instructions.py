"""Where the instructions of a function's body begin and end, as far as `growth.py` must know."""

from __future__ import annotations

__all__ = ["Unreadable", "grow_sites", "integer", "skip_integer"]

MEMORY_GROW = 0x40
_HIGH = 0x80

# How many LEB128 integers follow each plain opcode; those that are not here have none.
_INTEGERS: dict[int, int] = (
    dict.fromkeys([0x02, 0x03, 0x04, 0x06, 0x07, 0x08, 0x09, 0x0C, 0x0D, 0x10, 0x12, 0x14, 0x15], 1)
    | dict.fromkeys([0x18, *range(0x20, 0x27), 0x3F, 0x40, 0x41, 0x42, 0xD0, 0xD2, 0xD5, 0xD6], 1)
    | dict.fromkeys([0x11, 0x13], 2)
)
_RAW = {0x43: 4, 0x44: 8}
_LAST_PLAIN = 0xD6
_BULK = {8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}
_LOADS_AND_STORES = range(0x28, 0x3F)
_FENCE = 3
_VECTOR_MEMORY = {*range(12), *range(84, 94)}
_VECTOR_RAW = {12: 16, 13: 16} | dict.fromkeys([*range(21, 35), *range(84, 92)], 1)
_MEMORY_INDEX = 0x40
"""In a memory argument's alignment: an index of the memory follows."""


class Unreadable(ValueError):
    """The bytes are no WebAssembly that is known here."""


def integer(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 integer, and where it ends."""
    value = shift = 0
    while True:
        if at >= len(data):
            raise Unreadable("it ends in the middle of a number")
        byte = data[at]
        value |= (byte & ~_HIGH) << shift
        at, shift = at + 1, shift + 7
        if byte < _HIGH:
            return value, at


def skip_integer(data: bytes, at: int) -> int:
    return integer(data, at)[1]


def _skip(data: bytes, at: int, count: int) -> int:
    for _ in range(count):
        at = skip_integer(data, at)
    return at


def _memory_argument(data: bytes, at: int) -> int:
    align, at = integer(data, at)
    return _skip(data, at, 2 if align & _MEMORY_INDEX else 1)


def _vector(data: bytes, at: int) -> int:
    count, at = integer(data, at)
    return _skip(data, at, count)


def _catches(data: bytes, at: int) -> int:
    count, at = integer(data, skip_integer(data, at))
    for _ in range(count):
        kind, at = integer(data, at)
        at = _skip(data, at, 2 if kind in {0, 1} else 1)
    return at


def _vector_instruction(data: bytes, at: int) -> int:
    code, at = integer(data, at)
    if code in _VECTOR_MEMORY:
        at = _memory_argument(data, at)
    return at + _VECTOR_RAW.get(code, 0)


def _atomic_instruction(data: bytes, at: int) -> int:
    code, at = integer(data, at)
    return at + 1 if code == _FENCE else _memory_argument(data, at)


def _bulk_instruction(data: bytes, at: int) -> int:
    code, at = integer(data, at)
    return _skip(data, at, _BULK.get(code, 0))


def _next(data: bytes, at: int) -> int:
    """Where the instruction at this place ends."""
    code = data[at]
    at += 1
    if code in _LOADS_AND_STORES:
        return _memory_argument(data, at)
    match code:
        case 0x0E:
            return skip_integer(data, _vector(data, at))
        case 0x1C:
            return _vector(data, at)
        case 0x1F:
            return _catches(data, at)
        case 0xFC:
            return _bulk_instruction(data, at)
        case 0xFD:
            return _vector_instruction(data, at)
        case 0xFE:
            return _atomic_instruction(data, at)
        case _ if code > _LAST_PLAIN:
            raise Unreadable(f"instruction {code:#x} is not known here")
        case _:
            return _skip(data, at, _INTEGERS.get(code, 0)) + _RAW.get(code, 0)


def grow_sites(body: bytes) -> list[int]:
    """Where `memory.grow` stands in a body (locals and instructions, without its size)."""
    count, at = integer(body, 0)
    at = _skip(body, at, 2 * count)
    sites: list[int] = []
    while at < len(body):
        if body[at] == MEMORY_GROW:
            sites.append(at)
        at = _next(body, at)
    if at != len(body):
        raise Unreadable("a function's body ends in the middle of an instruction")
    return sites
