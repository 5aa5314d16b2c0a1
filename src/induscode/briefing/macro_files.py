"""Macros on disk: a prompt is a `*.md` file, its name the file's.

`discover_macros` is what a session uses: every folder, of every program, and one bad file costs
only itself. `load_macros` and `read_macro_file` are the plain form, which raises.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from induscode.briefing.contract import (
    BriefingFault,
    BriefingFaultKind,
    MacroDef,
    MacroLoad,
    MacroOrigin,
)
from induscode.briefing.files import DiskFiles, Files, Refused
from induscode.briefing.frontmatter import Front, read_front, tool_words
from induscode.briefing.invisible import invisible_characters

__all__ = [
    "DERIVED_DESCRIPTION_BUDGET",
    "MACRO_BYTES",
    "MACRO_DEPTH",
    "MACRO_FILES",
    "MACRO_FOLDERS",
    "MacroLoad",
    "MacroRoot",
    "discover_macros",
    "load_macros",
    "read_macro_file",
]

DERIVED_DESCRIPTION_BUDGET = 72
"""Characters of a description that is taken from the body, the ellipsis among them."""

MACRO_BYTES = 262_144
MACRO_FILES = 1_000
MACRO_FOLDERS = 1_000
MACRO_DEPTH = 8
"""How large a file may be; how many files, folders and levels of folders of one root are read."""

_DESCRIPTION_CHARACTERS = 1_024
_SUFFIX = ".md"
_TOOLS = "allowed-tools"
_PRUNED = frozenset({"node_modules"})


class MacroRoot(Struct, frozen=True):
    """A folder of macros. In a `nested` one, sub-folders count too; they are no part of a name."""

    dir: Path
    origin: MacroOrigin
    nested: bool = False


class _Read(Struct, frozen=True):
    macro: MacroDef
    notes: tuple[str, ...]


def load_macros(folder: Path, origin: MacroOrigin, label: str | None = None) -> list[MacroDef]:
    """The `*.md` files directly in `folder`, sorted, without dot files; of one name, the first.
    Nothing when there is no such folder. Raises `BriefingFault` for a file that cannot be read."""
    found: dict[str, MacroDef] = {}
    children = DiskFiles().children(folder)
    if isinstance(children, Refused):
        raise BriefingFault(BriefingFaultKind.MACRO_INVALID, f"{_shown(folder)}: {children.reason}")
    for child in children:
        name = None if child.folder else _name(child.name)
        if name is not None and name not in found:
            found[name] = read_macro_file(
                folder / child.name, origin, origin.label() if label is None else label
            )
    return list(found.values())


def read_macro_file(path: Path, origin: MacroOrigin, label: str) -> MacroDef:
    """One file. `label` follows a description that the file itself gives, and no other.
    Raises `BriefingFault`."""
    found = _read(path, origin, label, DiskFiles())
    if isinstance(found, Refused):
        raise BriefingFault(BriefingFaultKind.MACRO_INVALID, f"{_shown(path)}: {found.reason}")
    return found.macro


def discover_macros(roots: Sequence[MacroRoot], files: Files) -> MacroLoad:
    """The macros of all roots; of one name the first, roots in their order and in a root what is
    less deep before what is deeper. Raises nothing."""
    found: dict[str, MacroDef] = {}
    faults: list[str] = []
    for root in roots:
        for path, name in _candidates(root, files, faults):
            if kept := found.get(name):
                if files.real(kept.source) != files.real(path):
                    faults.append(
                        f"{_shown(path)}: not used: {_shown(kept.source)} is /{name} already;"
                        " rename one of them"
                    )
                continue
            read = _read(path, root.origin, root.origin.label(), files)
            if isinstance(read, Refused):
                faults.append(f"{_shown(path)}: not used: {read.reason}")
            elif not read.macro.body:
                faults.append(f"{_shown(path)}: not used: it says nothing; write a prompt into it")
            else:
                found[name] = read.macro
                faults.extend(f"{_shown(path)}: {note}" for note in read.notes)
    return MacroLoad(tuple(found.values()), tuple(faults))


def _candidates(root: MacroRoot, files: Files, faults: list[str]) -> Iterator[tuple[Path, str]]:
    """The files that are named like a macro, and its name; `faults` hears what is passed over."""
    count = 0
    for path in _walked(root, files, faults):
        name = _name(path.name)
        if name is None:
            continue
        if count == MACRO_FILES:
            faults.append(f"{_shown(root.dir)}: only its first {MACRO_FILES:,} macros are used")
            return
        count += 1
        if name.isprintable() and " " not in name and not invisible_characters(name):
            yield path, name
        else:
            faults.append(
                f"{_shown(path)}: not used: nobody can type its name; rename it to one without"
                " white space and invisible characters"
            )


def _walked(root: MacroRoot, files: Files, faults: list[str]) -> Iterator[Path]:
    """The files of a root, those that are less deep first. A folder is looked into once, whatever
    links lead to it."""
    waiting = deque([(root.dir, 0)])
    seen: set[Path] = set()
    while waiting:
        folder, depth = waiting.popleft()
        real = files.real(folder)
        if real in seen:
            continue
        if len(seen) == MACRO_FOLDERS:
            faults.append(f"{_shown(root.dir)}: only its first {MACRO_FOLDERS:,} folders are used")
            return
        seen.add(real)
        children = files.children(folder)
        if isinstance(children, Refused):
            faults.append(f"{_shown(folder)}: not used: {children.reason}")
            continue
        visible = [child for child in children if not child.name.startswith(".")]
        yield from (folder / child.name for child in visible if not child.folder)
        below = [folder / each.name for each in visible if each.folder and each.name not in _PRUNED]
        if not root.nested or not below:
            continue
        if depth == MACRO_DEPTH:
            faults.append(f"{_shown(folder)}: folders in it are not used: they are too deep")
        else:
            waiting.extend((each, depth + 1) for each in below)


def _name(file: str) -> str | None:
    """None for a file that is no macro."""
    is_macro = file.lower().endswith(_SUFFIX) and not file.startswith(".")
    return file[: -len(_SUFFIX)] if is_macro else None


def _read(path: Path, origin: MacroOrigin, label: str, files: Files) -> _Read | Refused:
    data = files.read(path, MACRO_BYTES)
    if data is None:
        return Refused("there is no such file")
    if isinstance(data, Refused):
        return data
    if len(data) > MACRO_BYTES:
        return Refused(
            f"it is larger than {MACRO_BYTES:,} bytes; keep what is long in a file that it names"
        )
    if b"\0" in data:
        return Refused("it is no text; a macro is a text in UTF-8")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Refused(f"line {line} is not UTF-8; save it as UTF-8")
    front = read_front(text)
    notes = list(_notes(front, text))
    return _Read(
        MacroDef(
            name=_name(path.name) or path.name,
            description=_description(front, label),
            body=front.body,
            origin=origin,
            source=path,
            line=front.body_line,
            hint=_said(front, "argument-hint"),
            allowed_tools=_allowed_tools(front, notes),
            model=_model(front),
        ),
        tuple(notes),
    )


def _notes(front: Front, text: str) -> Iterator[str]:
    if front.unclosed:
        yield "its first line opens front matter that no other line --- closes; all of it is text"
    if front.not_yaml and not front.fields:
        yield f"its front matter is not used: {front.not_yaml}"
    if count := invisible_characters(text.removeprefix("\ufeff")):
        yield f"it holds {count:,} invisible characters; look at them before you use it"


def _description(front: Front, label: str) -> str:
    if given := _said(front, "description"):
        return f"{_cut(given, _DESCRIPTION_CHARACTERS)} {label}".rstrip()
    return _cut(front.body.partition("\n")[0].strip(), DERIVED_DESCRIPTION_BUDGET)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _said(front: Front, key: str) -> str:
    """The text of a field, on one line. What YAML takes for something else than a text (`[file]`, a
    number, ` #12`) is meant as it is written."""
    value: Any = front.fields.get(key)
    if isinstance(value, str):
        comment = value and " #" in front.head and front.written(key).startswith(f"{value} #")
        text = front.written(key) if comment else value
    elif isinstance(value, list):
        text = front.written(key) or " ".join(f"[{each}]" for each in cast("list[object]", value))
    else:
        text = "" if value is None else front.written(key)
    return " ".join(text.split())


def _model(front: Front) -> str:
    """Empty also for `inherit`, which wishes for nothing."""
    value: Any = front.fields.get("model")
    return value.strip() if isinstance(value, str) and value != "inherit" else ""


def _allowed_tools(front: Front, notes: list[str]) -> tuple[str, ...] | None:
    """None when nothing is said, or all are allowed. What cannot be read allows nothing."""
    listed = _tools_listed(front)
    if listed is None:
        return None
    words: list[str] = []
    for each in listed:
        found = tool_words(each) if isinstance(each, str) else None
        if found is None:
            notes.append(
                f"line {front.line_of(_TOOLS)}: {_TOOLS}: it is no list of tools such as"
                " Read, Bash(git diff *); what cannot be read allows nothing"
            )
        words.extend(found or ())
    return None if "*" in words else tuple(dict.fromkeys(words))


def _tools_listed(front: Front) -> list[object] | None:
    value: Any = front.fields.get(_TOOLS)
    if value is None:
        # It may stand there, and be lost with the rest of a header that is not YAML.
        lost = front.not_yaml and _TOOLS in front.head
        return [None] if lost else [] if _TOOLS in front.fields else None
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _shown(path: Path) -> str:
    """A name that is no text can be written down all the same."""
    return str(path).encode(errors="backslashreplace").decode()
