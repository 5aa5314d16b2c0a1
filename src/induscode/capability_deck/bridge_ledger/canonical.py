"""Two canonical forms of a JSON value: one says what a tool is, the other what was approved.

Both sort object keys by UTF-16 code units and keep the order of arrays. The identity form is that
of the documents, so that other implementations mint the same keys: entries that are null are left
out, and numbers are spelled as JavaScript does, where every number is a double. The approval form
keeps nulls and tells every two numbers apart: what a person approved must not change unseen.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from induscode.kernel.jsontext import MAX_DEPTH, JsonProblem

__all__ = ["approval_form", "identity_form"]

_Spell = Callable[[int | float], str]
_EXACT_TO = 2**53
_DIGITS_BEFORE = 21
_ZEROS_AFTER = 6


def identity_form(value: object) -> bytes:
    """Raises `JsonProblem` for what is no JSON value, or nested deeper than `MAX_DEPTH`."""
    return _written(value, _as_javascript, keep_nulls=False)


def approval_form(value: object) -> bytes:
    """Raises as `identity_form` does, and for numbers that JSON has not."""
    return _written(value, _exact, keep_nulls=True)


def _written(value: object, spell: _Spell, *, keep_nulls: bool) -> bytes:
    out: list[str] = []
    _Writer(out.append, spell, keep_nulls=keep_nulls).write(value, 0)
    return "".join(out).encode()


class _Writer:
    def __init__(self, put: Callable[[str], None], spell: _Spell, *, keep_nulls: bool) -> None:
        self._put = put
        self._spell = spell
        self._keep_nulls = keep_nulls

    def write(self, value: object, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise JsonProblem(f"nested deeper than {MAX_DEPTH} levels")
        match value:
            case None | bool():
                self._put({None: "null", True: "true", False: "false"}[value])
            case str():
                self._put(_quoted(value))
            case int() | float():
                self._put(self._number(value))
            case Mapping():
                self._mapping(cast("Mapping[object, object]", value), depth)
            case list() | tuple():
                self._array(cast("Sequence[object]", value), depth)
            case _:
                raise JsonProblem(f"{type(value).__name__} is no JSON value")

    def _mapping(self, value: Mapping[object, object], depth: int) -> None:
        names = [name for name in value if isinstance(name, str)]
        if len(names) != len(value):
            raise JsonProblem("a key is no text")
        before = "{"
        for name in sorted(names, key=_utf16):
            child = value[name]
            if child is None and not self._keep_nulls:
                continue
            self._put(f"{before}{_quoted(name)}:")
            self.write(child, depth + 1)
            before = ","
        self._put("}" if before == "," else "{}")

    def _array(self, value: Sequence[object], depth: int) -> None:
        before = "["
        for child in value:
            self._put(before)
            self.write(child, depth + 1)
            before = ","
        self._put("]" if before == "," else "[]")

    def _number(self, value: float) -> str:
        try:
            return self._spell(value)
        except JsonProblem:
            raise
        except (ValueError, OverflowError):  # more digits than are ever converted
            raise JsonProblem("a number has too many digits") from None


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _quoted(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    if text.isascii():
        return quoted
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in quoted)


def _exact(value: float) -> str:
    if not math.isfinite(value):
        raise JsonProblem("numbers must be finite")
    return repr(value)


def _as_javascript(value: float) -> str:
    """How JavaScript prints a number: the shortest digits that mean the same double."""
    if isinstance(value, int) and abs(value) <= _EXACT_TO:
        return str(value)
    try:
        double = float(value)
    except OverflowError:
        return "null"
    if not math.isfinite(double):
        return "null"
    mantissa, _, exponent = f"{abs(double)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    digits = digits.rstrip("0")
    return ("-" if double < 0 else "") + (_placed(digits, point) if digits else "0")


def _placed(digits: str, point: int) -> str:
    """`digits` with the decimal point behind the first `point` of them."""
    if len(digits) <= point <= _DIGITS_BEFORE:
        return digits.ljust(point, "0")
    if 0 < point <= _DIGITS_BEFORE:
        return f"{digits[:point]}.{digits[point:]}"
    if -_ZEROS_AFTER < point <= 0:
        return f"0.{'0' * -point}{digits}"
    more = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{more}e{point - 1:+d}"
