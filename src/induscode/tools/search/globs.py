"""Globs as people know them from ripgrep and git: `*.py` anywhere, `src/**/*.py` from the root.

They are matched here and not by ripgrep's `--glob`, which would bring back what ignore files leave
out. ripgrep is only told which last names can come into question, by a file type of our own, so
that it does not read what will not be shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from induscode.tools.search.limits import ALTERNATIVES

__all__ = ["Glob", "is_glob"]

_TYPE = "wanted"
_TOKEN = re.compile(r"\\.|\[[!^]?\]?[^\]]*\]|\*+|.", re.DOTALL)
_WILD = re.compile(r"[*?\[{]")


def is_glob(text: str) -> bool:
    return _WILD.search(text) is not None


class Glob:
    """One glob, over names relative to the root. `*` and `?` stay within a name, `**` is any depth,
    a trailing `/` means all below; without a `/` the last name counts alone. Raises ValueError
    with what is wrong. Matching takes time linear in the name, whatever the glob."""

    def __init__(self, text: str) -> None:
        self.negative = text.startswith("!")
        plain = text.removeprefix("!").removeprefix("./")
        if not plain:
            raise ValueError("it is empty")
        self.anchored = "/" in plain
        self._plain = plain
        found = [_segments(one) for one in _expanded(plain)]
        self.everything = not self.negative and found == [["**"]]
        source = "|".join(f"(?:{_path(segments)})" for segments in found)
        try:
            self._fits = re.compile(source, re.DOTALL).fullmatch
        except re.error as error:
            raise ValueError(f"a class of characters is wrong in it ({error.msg})") from None
        self._last = {segments[-1] for segments in found}

    def admits(self, name: str, prefix: str = "") -> bool:
        """Whether a file passes by its name, or by its name behind a prefix: people mean either the
        directory that is searched or the one they are in."""
        fits = self._fits(name) or (prefix and self._fits(prefix + name))
        return bool(fits) is not self.negative

    def admitted(self, names: list[str], prefix: str) -> list[str]:
        if prefix or self.negative:
            return [name for name in names if self.admits(name, prefix)]
        return [name for name in names if self._fits(name)]

    @property
    def hints(self) -> tuple[str, ...]:
        """Arguments by which ripgrep passes over most of what does not match; () if none can say
        so. But for those of a negative glob, not to be used with another file type: types add up.
        """
        if self.negative:
            return (f"--glob=!{self._plain}",)
        if any(last == "**" or ":" in last for last in self._last):
            return ()
        return (*(f"--type-add={_TYPE}:{last}" for last in sorted(self._last)), f"--type={_TYPE}")

    @property
    def sufficient(self) -> bool:
        """Whether what passes `hints` matches, without a look at it."""
        return bool(self.hints) and not self.anchored and not self.negative


def _segments(glob: str) -> list[str]:
    """The names of a path, with `**` before a glob that may begin anywhere."""
    anywhere = "/" not in glob
    segments = [segment for segment in glob.split("/") if segment]
    if glob.endswith("/"):
        segments.append("**")
    if anywhere:
        segments.insert(0, "**")
    merged = [s for at, s in enumerate(segments) if s != "**" or segments[at - 1 : at] != ["**"]]
    if merged[-2:] == ["**", "*"]:
        merged.pop()
    return merged


def _path(segments: list[str]) -> str:
    """Runs of names between `**`: the first is tied to the beginning, the last to the end, and each
    between them is taken where it first fits, for good."""
    runs: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            runs.append([])
        else:
            runs[-1].append(_name(segment))
    first, *rest = ("/".join(run) for run in runs)
    if not rest:
        return first
    *between, last = rest
    source = f"{first}/" if first else ""
    source += "".join(f"(?>(?:[^/]+/)*?{run}/)" for run in between)
    return source + (f"(?:[^/]+/)*{last}" if last else ".+")


def _name(segment: str) -> str:
    """The same within one name: text between `*` is taken where it first fits."""
    pieces = [""]
    for token in _TOKEN.findall(segment):
        if token[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += _one(token)
    first, *rest = pieces
    if not rest:
        return first
    *between, last = rest
    return first + "".join(f"(?>[^/]*?{piece})" for piece in between) + f"[^/]*{last}"


def _one(piece: str) -> str:
    if piece == "?":
        return "[^/]"
    if piece in {"[", "[]"}:
        raise ValueError("a '[' in it is not closed")
    if piece[0] == "[":
        inner = piece[1:-1]
        negated = inner[0] in "!^"
        members = re.sub(r"([\\\[\]&~|^])", r"\\\1", inner[1:] if negated else inner)
        return f"(?!/)[{'^' if negated else ''}{members}]"
    return re.escape(piece[1] if len(piece) > 1 else piece)


def _expanded(glob: str) -> list[str]:
    """The globs that braces stand for: `{a,b}/*.py` is two."""
    return list(dict.fromkeys(_alternatives(glob, _counter())))


def _counter() -> Callable[[], None]:
    left = ALTERNATIVES

    def count() -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise ValueError(f"its braces stand for more than {ALTERNATIVES} globs")

    return count


def _alternatives(glob: str, count: Callable[[], None]) -> Iterator[str]:
    start, end, cuts = _outer_braces(glob)
    if start < 0:
        count()
        yield glob
        return
    for left, right in zip((start, *cuts), (*cuts, end), strict=True):
        yield from _alternatives(glob[:start] + glob[left + 1 : right] + glob[end + 1 :], count)


def _outer_braces(glob: str) -> tuple[int, int, list[int]]:
    """Where the first braces open and close, and the commas that belong to them; -1 for none."""
    depth, start = 0, -1
    cuts: list[int] = []
    for token in _TOKEN.finditer(glob):
        match token[0]:
            case "{":
                depth += 1
                start = token.start() if depth == 1 else start
            case "}" if depth:
                depth -= 1
                if depth == 0:
                    return start, token.start(), cuts
            case "," if depth == 1:
                cuts.append(token.start())
            case _:
                continue
    if depth:
        raise ValueError("a '{' in it is not closed")
    return -1, -1, []
