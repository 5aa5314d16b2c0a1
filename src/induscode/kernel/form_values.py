"""What may stand in a field of a form: of a value that a program gives, and of a line that a person
types. Every reason is the end of a sentence that begins with the field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TypeGuard, assert_never, cast

from msgspec import Struct

from induscode.kernel.form import (
    ChoiceKind,
    ChoicesKind,
    Form,
    FormField,
    FormKind,
    FormValue,
    NumberKind,
    Option,
    TextFormat,
    TextKind,
    YesNoKind,
)

__all__ = ["Wrong", "form_problem", "read_typed", "value_problem"]

_LARGEST_WHOLE = 2**53
_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_NUMERAL = re.compile(r"[1-9][0-9]{0,3}")
_YES = frozenset({"y", "yes", "true"})
_NO = frozenset({"n", "no", "false"})
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)*")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]+")
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)
_EXAMPLES: dict[TextFormat, str] = {
    "email": "an e-mail address, like ada@example.com",
    "uri": "an address with its scheme, like https://example.com/",
    "date": "a date, like 2026-01-31",
    "date-time": "a date and time with its zone, like 2026-01-31T09:30:00Z",
}


class Wrong(Struct, frozen=True):
    """It cannot stand there: "must be ..."."""

    reason: str


def form_problem(form: Form, values: Mapping[str, object]) -> str | None:
    """What is wrong, as a sentence that names the field; None when all of it may be sent."""
    known = {field.name: field for field in form.fields}
    for name in values:
        if name not in known:
            return f"{name!r} is no field of this form"
    for name, field in known.items():
        if name in values:
            reason = value_problem(field.kind, values[name])
            if reason is not None:
                return f"{name!r} {reason}"
        elif field.required:
            return f"{name!r} is missing"
    return None


def value_problem(kind: FormKind, value: object) -> str | None:
    """Why the value does not fit: "must be ..."; None when it does."""
    match kind:
        case TextKind():
            return _text_problem(kind, value) if isinstance(value, str) else "must be a text"
        case NumberKind():
            return _number_problem(kind, value) if _is_number(value) else "must be a number"
        case YesNoKind():
            return None if isinstance(value, bool) else "must be true or false"
        case ChoiceKind(options):
            return None if value in _values(options) else _one_of(options)
        case ChoicesKind():
            return _choices_problem(kind, value)
        case _:
            assert_never(kind)


def read_typed(field: FormField, line: str) -> FormValue | Wrong:
    """The value that a typed line means, which fits."""
    value = _read(field.kind, line)
    if isinstance(value, Wrong):
        return value
    reason = value_problem(field.kind, value)
    return value if reason is None else Wrong(reason)


def _read(kind: FormKind, line: str) -> FormValue | Wrong:
    word = line.strip()
    match kind:
        case TextKind(format=form):
            return word if form else line
        case NumberKind():
            return _number(word, whole=kind.whole)
        case YesNoKind():
            if word.lower() in _YES:
                return True
            return False if word.lower() in _NO else Wrong("must be yes or no")
        case ChoiceKind(options):
            return _option(options, word)
        case ChoicesKind(options=options):
            return _several(options, word)
        case _:
            assert_never(kind)


def _text_problem(kind: TextKind, value: str) -> str | None:
    if any("\ud800" <= character <= "\udfff" for character in value):
        return "must be text that can be written as UTF-8"
    if len(value) < kind.shortest:
        return f"must have at least {_counted(kind.shortest, 'character')}"
    if len(value) > kind.longest:
        return f"must have at most {_counted(kind.longest, 'character')}, not {len(value)}"
    if kind.format and not _has_format(kind.format, value):
        return f"must be {_EXAMPLES[kind.format]}"
    return None


def _has_format(form: TextFormat, value: str) -> bool:
    match form:
        case "email":
            return _EMAIL.fullmatch(value) is not None
        case "uri":
            return _URI.fullmatch(value) is not None
        case "date":
            return _DATE.fullmatch(value) is not None and _is_in_calendar(date, value)
        case "date-time":
            return _DATE_TIME.fullmatch(value) is not None and _is_in_calendar(datetime, value)
        case "":
            return True


def _is_in_calendar(kind: type[date], value: str) -> bool:
    try:
        kind.fromisoformat(value.upper())
    except ValueError:
        return False
    return True


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= _LARGEST_WHOLE if isinstance(value, int) else math.isfinite(value)


def _number(word: str, *, whole: bool) -> int | float | Wrong:
    try:
        if _WHOLE.fullmatch(word):
            return int(word)
        value = float(word) if word.isascii() and "_" not in word else math.nan
    except ValueError:
        return Wrong("must be a number")
    return int(value) if whole and value.is_integer() else value


def _number_problem(kind: NumberKind, value: float) -> str | None:
    if kind.whole and value != int(value):
        return "must be a whole number"
    if kind.least is not None and value < kind.least:
        return f"must be at least {kind.least:.15g}"
    if kind.most is not None and value > kind.most:
        return f"must be at most {kind.most:.15g}"
    if kind.above is not None and value <= kind.above:
        return f"must be more than {kind.above:.15g}"
    if kind.below is not None and value >= kind.below:
        return f"must be less than {kind.below:.15g}"
    return None


def _option(options: Sequence[Option], word: str) -> str | Wrong:
    """By its number in the list, which counts first, its value or its title."""
    if _NUMERAL.fullmatch(word) and int(word) <= len(options):
        return options[int(word) - 1].value
    if word in _values(options):
        return word
    titled = {option.value for option in options if option.title.casefold() == word.casefold()}
    if len(titled) == 1:
        return titled.pop()
    return Wrong(_one_of(options))


def _several(options: Sequence[Option], line: str) -> list[str] | Wrong:
    """Numbers, values or titles, with commas between them; each counts once."""
    found: dict[str, None] = {}
    for word in filter(None, map(str.strip, line.split(","))):
        option = _option(options, word)
        if isinstance(option, Wrong):
            return option
        found[option] = None
    return list(found)


def _choices_problem(kind: ChoicesKind, value: object) -> str | None:
    if not isinstance(value, list):
        return "must be a list"
    chosen = cast("list[object]", value)
    known = _values(kind.options)
    if any(one not in known for one in chosen):
        return _one_of(kind.options)
    if len(set(map(str, chosen))) != len(chosen):
        return "must not name one twice"
    if len(chosen) < kind.fewest:
        return f"must name at least {kind.fewest}"
    if len(chosen) > kind.most:
        return f"must name at most {kind.most}"
    return None


def _values(options: Sequence[Option]) -> tuple[str, ...]:
    return tuple(option.value for option in options)


def _one_of(options: Sequence[Option]) -> str:
    return f"must be of the list: a number from 1 to {len(options)}, or what stands there"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
