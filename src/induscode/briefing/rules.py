"""Rules: documents of a `.claude/rules` folder, for all work or for files that match a glob.

The front matter of a rule may have `paths` (or `globs`): a list, or one text with commas. Without
it the rule always holds, and `context_docs` takes it in as a document. With it the host joins the
rule when a matching file is touched. Folders are read whole, links followed, hidden names passed
over. Nothing here raises: a rule that cannot be used is left out and told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from induscode.briefing.document import (
    DEFAULT_MAX_BYTES_PER_DOC,
    DocNote,
    Page,
    excerpt,
    one_line,
    read_page,
    shorten_path,
)
from induscode.briefing.files import Files, Refused
from induscode.briefing.frontmatter import Front, read_front
from induscode.briefing.globs import Glob, compile_glob
from induscode.kernel.jsontext import clean_text

__all__ = ["MOST_GLOBS", "MOST_RULES", "RuleDoc", "RuleMatcher", "Rules", "load_rules"]

MOST_RULES = 500
"""Counted with the folders that they are in."""

MOST_GLOBS = 100
"""Of one rule."""

_DEPTH = 10
_KEYS = ("paths", "globs")
_SHOWN = 80
_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<item>.*)")
_COMMENT = re.compile(r"[ \t]#.*")
_MARK = re.compile(r"[{},\n]")


class RuleDoc(Struct, frozen=True):
    """`path` is its heading; the body begins at `line` of `file`. Without `globs` it always
    holds."""

    path: str
    body: str
    file: str
    line: int = 1
    globs: tuple[str, ...] = ()
    cut: int = 0


class Rules(Struct, frozen=True):
    """`paths` are the files of `rules`, as the disk has their names."""

    rules: tuple[RuleDoc, ...] = ()
    notes: tuple[DocNote, ...] = ()
    paths: tuple[Path, ...] = ()


class RuleMatcher:
    """Whether a file is one that a rule speaks of. A glob that begins with `!` takes back what
    those before it matched; one that cannot be used matches nothing. `globs` says how they read."""

    def __init__(self, globs: Sequence[str]) -> None:
        self._steps: list[tuple[bool, list[Glob]]] = []
        for glob in globs[:MOST_GLOBS]:
            compiled = compile_glob(glob.removeprefix("!"))
            if isinstance(compiled, list):
                self._steps.append((not glob.startswith("!"), compiled))

    def matches(self, path: str) -> bool:
        """`path` is relative to the workspace, its names divided by `/`."""
        matched = False
        for adds, glob in self._steps:
            if matched != adds and any(each.matches(path) for each in glob):
                matched = adds
        return matched


def load_rules(
    folders: Sequence[Path],
    files: Files,
    cwd: Path,
    home: Path,
    max_bytes_per_doc: int = DEFAULT_MAX_BYTES_PER_DOC,
) -> Rules:
    """The rules below the folders, each file once, in the order of folders and then of names."""
    loading = _Loading(files, cwd, home, max_bytes_per_doc)
    for folder in folders:
        for path in loading.found(folder):
            loading.take(path)
    return Rules(tuple(loading.rules), tuple(loading.notes), tuple(loading.paths))


class _Loading:
    def __init__(self, files: Files, cwd: Path, home: Path, room: int) -> None:
        self._files = files
        self._cwd = cwd
        self._home = home
        self._room = room
        self._seen: set[Path] = set()
        self.rules: list[RuleDoc] = []
        self.paths: list[Path] = []
        self.notes: list[DocNote] = []

    def found(self, top: Path) -> Iterator[Path]:
        """The files below a folder, those of a folder before those of the folders in it."""
        waiting = [(top, 0)]
        while waiting:
            folder, depth = waiting.pop()
            if self._is_full(folder):
                return
            if not self._is_new(folder):
                continue
            children = self._files.children(folder)
            if isinstance(children, Refused):
                self._note(folder, f"not read: {children.reason}")
                continue
            shown = [child for child in children if not child.name.startswith(".")]
            for child in shown:
                if not child.folder and child.name.lower().endswith(".md"):
                    if self._is_full(folder / child.name):
                        return
                    yield folder / child.name
            below = [folder / child.name for child in shown if child.folder]
            if below and depth >= _DEPTH:
                self._note(folder, f"the folders in it are not read: it lies {_DEPTH} deep")
            else:
                waiting.extend((each, depth + 1) for each in reversed(below))

    def take(self, path: Path) -> None:
        page = read_page(self._files, path, self._room) if self._is_new(path) else None
        if isinstance(page, Refused):
            self._note(path, f"not read: {page.reason}")
        elif page is not None:
            self._keep(page, path)

    def _keep(self, page: Page, path: Path) -> None:
        heading = shorten_path(path, self._cwd, self._home)
        front = read_front(page.text)
        if front.unclosed:
            reason = "its front matter is not closed by a line ---, and counts as text"
            self.notes.append(DocNote(heading, 1, reason))
        body = Page(front.body, page.more, page.damaged)
        kept = excerpt(body, heading, self._room, first_line=front.body_line)
        self.notes.extend(kept.notes)
        globs = _globs(front)
        if globs is None:
            key = _key(front)
            reason = f"left out: `{key}` is a glob or a list of globs, such as src/**/*.py"
            self.notes.append(DocNote(heading, front.line_of(key), reason))
            return
        usable, notes = _usable(globs, front, heading)
        self.notes.extend(notes)
        if kept.body and usable:
            file = clean_text(str(path))[0]
            self.rules.append(RuleDoc(heading, kept.body, file, kept.line, globs, kept.cut))
            self.paths.append(path)

    def _is_full(self, path: Path) -> bool:
        full = len(self._seen) >= MOST_RULES
        if full:
            self._note(path, f"not read, and nothing after it: over {MOST_RULES} rules and folders")
        return full

    def _is_new(self, path: Path) -> bool:
        real = self._files.real(path)
        new = real not in self._seen
        self._seen.add(real)
        return new

    def _note(self, path: Path, reason: str) -> None:
        self.notes.append(DocNote(shorten_path(path, self._cwd, self._home), 0, reason))


def _usable(globs: tuple[str, ...], front: Front, heading: str) -> tuple[bool, list[DocNote]]:
    """Whether any of them can match, and notes on those that cannot. Without globs, true."""
    line = front.line_of(_key(front))
    notes: list[DocNote] = []
    if len(globs) > MOST_GLOBS:
        notes.append(DocNote(heading, line, f"only the first {MOST_GLOBS} globs count"))
    usable = not globs
    for glob in globs[:MOST_GLOBS]:
        compiled = compile_glob(glob.removeprefix("!"))
        if isinstance(compiled, str):
            reason = f"the glob {one_line(glob[:_SHOWN])} matches nothing: {compiled}"
            notes.append(DocNote(heading, line, reason))
        else:
            usable = True
    return usable, notes


def _key(front: Front) -> str:
    return next((key for key in _KEYS if key in front.fields), _KEYS[0])


def _globs(front: Front) -> tuple[str, ...] | None:
    """None when there is something in their place that cannot be globs."""
    key = _key(front)
    value = front.fields.get(key)
    if value is None and (key not in front.fields or not front.not_yaml):
        return ()
    texts: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not front.not_yaml and not all(map(_is_meant_as_text, texts)):
        return None
    if front.not_yaml or not all(isinstance(text, str) for text in texts):
        texts = _as_written(front, key)
    return tuple(glob for text in texts for glob in _parted(text))


def _is_meant_as_text(value: object) -> bool:
    """Globs begin with what means something in YAML, and few people write the quotes: `{a,b}` is a
    mapping without values."""
    if isinstance(value, dict):
        return not any(cast("dict[str, Any]", value).values())
    return isinstance(value, (str, int, float))


def _as_written(front: Front, key: str) -> list[str]:
    """What stands on the line of the key, or the lines `- item` below it."""
    written = _COMMENT.sub("", front.written(key))
    if written:
        listed = written.startswith("[") and written.endswith("]")
        return [written[1:-1] if listed else written]
    lines = front.head.split("\n")[front.line_of(key) - 1 :]
    items = takewhile(bool, map(_ITEM.fullmatch, lines))
    return [_COMMENT.sub("", item["item"]) for item in items if item]


def _parted(text: str) -> Iterator[str]:
    """At commas and line ends that stand in no braces; without quotes around the parts."""
    start = depth = 0
    for mark in _MARK.finditer(text + "\n"):
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
        if mark[0] == "\n" or (mark[0] == "," and depth <= 0):
            part = text[start : mark.start()].strip().strip("\"'")
            start, depth = mark.end(), 0
            if part:
                yield part
