"""What changed in an item since it was accepted, as lines for a person."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator

from induscode.channels.terminal import exact
from induscode.policy.contents import ABSENT, FileMark, Seen
from induscode.policy.trust_store import ItemRecord

__all__ = ["MAX_LINES", "bounded", "difference"]

MAX_LINES = 200
_MAX_COLUMNS = 400
_MAX_COMPARED = 5_000
_SEE = "see them all: indus trust show --full"


def difference(
    path: str, before: ItemRecord, now: Seen, kept: Callable[[str], str | None]
) -> list[str]:
    """`kept` returns an accepted text by its sha256. Every character is visible in the lines, tabs
    and carriage returns too; names are relative to the workspace."""
    lines: list[str] = []
    for name in sorted(before.files.keys() | now.files.keys()):
        old, new = before.files.get(name), now.files.get(name)
        if old != new:
            shown = _shown(path, name)
            old, new = _there(old), _there(new)
            if old is None and new is None:
                lines.append(f"{shown}: {'now' if name in now.files else 'no longer'} asked for")
            lines.extend(_file(shown, old, new, _texts(old, new, now, kept)))
    return lines


def _there(mark: FileMark | None) -> FileMark | None:
    return None if mark == ABSENT else mark


def _shown(path: str, name: str) -> str:
    """An imported file is named by its own path, and by the document that it came with."""
    if name.startswith("/"):
        return exact(f"{name[1:]} (imported by {path})").replace("\n", "\u240a")
    return exact(f"{path}/{name}" if name else path).replace("\n", "\u240a")


def _file(
    name: str, old: FileMark | None, new: FileMark | None, texts: tuple[str | None, str | None]
) -> Iterator[str]:
    if old is not None and new is not None:
        if old.executable != new.executable:
            yield f"{name}: {'now' if new.executable else 'no longer'} executable"
        if old.leads != new.leads:
            yield f"{name}: {_place(old)}, now {_place(new)}"
        if old.sha256 == new.sha256:
            return
    before, after = texts
    if before is None or after is None:
        yield f"{name}: {_size(old)} -> {_size(new)}, not shown: it is no text, or a long one"
        return
    old_lines, new_lines = _lines(before), _lines(after)
    if max(len(old_lines), len(new_lines)) > _MAX_COMPARED:
        yield f"{name}: {len(old_lines)} lines -> {len(new_lines)} lines, too many to compare"
        return
    heads = "nothing" if old is None else name, "nothing" if new is None else name
    yield from difflib.unified_diff(old_lines, new_lines, *heads, "accepted", "now", lineterm="")


def _lines(text: str) -> list[str]:
    lines = exact(text).split("\n")
    return lines[:-1] if not lines[-1] else [*lines, "\\ no newline at the end"]


def _texts(
    old: FileMark | None, new: FileMark | None, now: Seen, kept: Callable[[str], str | None]
) -> tuple[str | None, str | None]:
    before = "" if old is None else kept(old.sha256)
    if new is None:
        return before, ""
    data = now.texts.get(new.sha256)
    return before, None if data is None else data.decode()


def _place(mark: FileMark) -> str:
    return f"a link to {exact(mark.leads)}" if mark.leads else "a file"


def _size(mark: FileMark | None) -> str:
    return "nothing" if mark is None else f"{mark.size} bytes ({mark.sha256[:12]})"


def bounded(lines: list[str]) -> list[str]:
    """The first lines and the beginning of each, and how much is left out."""
    first = [_cut(line) for line in lines[:MAX_LINES]]
    more = len(lines) - MAX_LINES
    if more <= 0:
        return first
    return [*first, f"... {more} more lines; {_SEE}"]


def _cut(line: str) -> str:
    more = len(line) - _MAX_COLUMNS
    return line if more <= 0 else f"{line[:_MAX_COLUMNS]}... ({more} more characters; {_SEE})"
