"""`${VAR}` and `${VAR:-default}` in the texts of a row."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

__all__ = ["Variables"]

_ANY = re.compile(r"\$\{([^}]*)\}?")
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)


class Variables:
    """Puts variables into the texts of one row, and remembers what it put in and what was missing.
    A default stands in for a variable that is not set or empty; values are not looked through
    again. `withheld` names are as if not set."""

    def __init__(self, environ: Mapping[str, str], withheld: Collection[str] = ()) -> None:
        self._environ = environ
        self._withheld = withheld
        self._used: dict[str, str] = {}
        self._faults: dict[str, None] = {}
        self._hint = "set it, or write ${NAME:-default}"

    @property
    def used(self) -> dict[str, str]:
        """The variables that were put in, with their values."""
        return dict(self._used)

    @property
    def faults(self) -> tuple[str, ...]:
        """Clauses about what could not be put in."""
        return tuple(self._faults)

    @property
    def hint(self) -> str:
        """What to do about it."""
        return self._hint

    def expand(self, text: str) -> str:
        return _ANY.sub(self._value, text)

    def _value(self, found: re.Match[str]) -> str:
        named = _NAMED.fullmatch(found[1])
        if named is None or not found[0].endswith("}"):
            self._faults[f"{found[0][:80]!r} names no variable"] = None
            return ""
        name, default = named[1], named[2]
        value = None if name in self._withheld else self._environ.get(name)
        if default is not None and not value:
            return default
        if value is None:
            self._missing(name)
            return ""
        self._used[name] = value
        return value

    def _missing(self, name: str) -> None:
        if name not in self._withheld:
            self._faults[f"the variable {name} is not set"] = None
            return
        self._faults[f"the variable {name} is not given to what a workspace configures"] = None
        self._hint = "put the server into a file of your own"
