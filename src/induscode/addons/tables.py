"""Reading a TOML table key by key; what is wrong is said with file, field and remedy."""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from typing import Any, TypeVar, cast

from induscode.errors import AddonAuthorError

__all__ = ["ManifestError", "ManifestErrorKind", "Table", "read_toml"]

E = TypeVar("E", bound=StrEnum)

_KEY_PARTS = 32
# The parser takes time with the cube of a key's parts: a line of 100 KB would hold us up for hours.
_KEY = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{{_KEY_PARTS},}}"
_LONG_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*{_DOTTED}", re.MULTILINE)


class ManifestErrorKind(StrEnum):
    """`toml`: it is not TOML. `invalid`: it is, and says something that cannot be."""

    TOML = "toml"
    INVALID = "invalid"


class ManifestError(AddonAuthorError):
    """A manifest cannot be used: names the file, the field and the remedy."""

    def __init__(
        self, kind: ManifestErrorKind, file: str, *, field: str, found: str, hint: str = ""
    ) -> None:
        super().__init__(f"{file}: {field}: {found}" if field else f"{file}: {found}", hint=hint)
        self.kind = kind
        self.file = file
        self.field = field


def read_toml(text: str | bytes, file: str) -> dict[str, object]:
    """A whole file. Raises `ManifestError`."""
    try:
        source = text.decode() if isinstance(text, bytes) else text
        if not _LONG_KEY.search(source):
            return tomllib.loads(source)
        found = f"not usable TOML: a key has over {_KEY_PARTS} parts"
    except ValueError as error:  # also of a number with more digits than are ever converted
        found = f"not valid TOML: {error}"
    except RecursionError:
        found = "not usable TOML: it is nested too deeply"
    raise ManifestError(
        ManifestErrorKind.TOML, file, field="", found=found, hint="correct it and start again"
    )


class Table:
    """One table. Each key is asked for by its name; `finish` refuses those nobody asked for."""

    def __init__(self, data: dict[str, Any], file: str, where: str = "") -> None:
        self._data = data
        self._file = file
        self._where = where
        self._asked: list[str] = []

    def wrong(self, key: str, found: str, hint: str = "") -> ManifestError:
        field = f"{self._where}.{key}" if self._where else key
        return ManifestError(
            ManifestErrorKind.INVALID, self._file, field=field, found=found, hint=hint
        )

    def text(self, key: str, *, hint: str, most: int | None = None) -> str:
        """A text with something in it."""
        found = self.maybe_text(key, hint=hint, most=most)
        if found is None:
            raise self.wrong(key, "is missing", hint)
        if not found.strip():
            raise self.wrong(key, "is empty", hint)
        return found

    def maybe_text(self, key: str, *, hint: str, most: int | None = None) -> str | None:
        """Of at most so many characters."""
        found = self._get(key)
        if found is not None and not isinstance(found, str):
            raise self.wrong(key, f"expected a text, found {_kind(found)}", hint)
        if found is not None and most is not None and len(found) > most:
            raise self.wrong(key, f"has over {most} characters", hint)
        return found

    def choice(self, key: str, kinds: type[E], *, default: E | None = None) -> E:
        found = self.maybe_text(key, hint=f"one of {', '.join(kinds)}")
        if found is None and default is not None:
            return default
        known = [str(kind) for kind in kinds]
        if found in known:
            return kinds(found)
        hint = _meant(found or "", known) or f"one of {', '.join(known)}"
        raise self.wrong(key, "is missing" if found is None else repr(found), hint)

    def flag(self, key: str, *, default: bool) -> bool:
        found = self._get(key)
        if found is not None and not isinstance(found, bool):
            raise self.wrong(key, f"expected true or false, found {_kind(found)}")
        return default if found is None else found

    def number(self, key: str, *, default: float, least: float, most: float) -> float:
        found = self._get(key)
        if found is None:
            return default
        hint = f"a number from {least:g} to {most:g}"
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise self.wrong(key, f"expected a number, found {_kind(found)}", hint)
        if not least <= found <= most:
            raise self.wrong(key, f"{found}", hint)
        return found

    def texts(self, key: str, *, hint: str) -> tuple[str, ...]:
        """A list of texts with at least one in it."""
        found = self._get(key)
        if found is None:
            raise self.wrong(key, "is missing", hint)
        members = cast("list[object]", found) if isinstance(found, list) else []
        if not members:
            found = cast("object", found)
            raise self.wrong(key, f"expected a list of texts, found {_kind(found)}", hint)
        strange = next((one for one in members if not isinstance(one, str)), None)
        if strange is not None:
            raise self.wrong(key, f"expected a list of texts, found {_kind(strange)} in it", hint)
        return tuple(cast("list[str]", members))

    def table(self, key: str) -> dict[str, Any] | None:
        found = self._get(key)
        if found is not None and not isinstance(found, dict):
            raise self.wrong(key, f"expected a table, found {_kind(found)}")
        return cast("dict[str, Any] | None", found)

    def tables(self, key: str) -> list[Table]:
        """What stands under `[[key]]`, each with its place in the field's name."""
        found = self._get(key)
        if found is None:
            return []
        members = cast("list[object]", found) if isinstance(found, list) else [found]
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in members):
            raise self.wrong(key, f"expected tables, found {_kind(members[0])}", f"write [[{key}]]")
        return [
            Table(cast("dict[str, Any]", one), self._file, f"{key}[{index}]")
            for index, one in enumerate(members)
        ]

    def finish(self) -> None:
        for key in self._data:
            if key not in self._asked:
                hint = _meant(key, self._asked) or f"there are {', '.join(self._asked)}"
                raise self.wrong(key[:100], "is not known here", hint)

    def _get(self, key: str) -> object:
        self._asked.append(key)
        return self._data.get(key)


def _kind(value: object) -> str:
    """What a value is, in words of TOML."""
    match value:
        case bool():
            return "true or false"
        case str():
            return "a text"
        case int() | float():
            return "a number"
        case []:
            return "an empty list"
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or time"


def _meant(word: str, known: list[str]) -> str:
    """A guess at what a person meant; "" when nothing is near."""
    near = min(known, key=lambda name: _distance(word[:40], name))
    return f"did you mean {near!r}?" if _distance(word[:40], near) <= 1 + len(near) // 5 else ""


def _distance(one: str, other: str) -> int:
    """How many letters must be put in, taken out or replaced."""
    row = list(range(len(other) + 1))
    for count, letter in enumerate(one, 1):
        before, row[0] = row[0], count
        for place, found in enumerate(other, 1):
            step = min(row[place] + 1, row[place - 1] + 1, before + (letter != found))
            before, row[place] = row[place], step
    return row[-1]
