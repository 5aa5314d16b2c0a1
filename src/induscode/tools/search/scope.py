"""Where a search goes, what of its findings may be shown, and how a place is written."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from induscode.kernel.tool import Filesystem, ToolContext
from induscode.policy.paths import inside, resolve
from induscode.tools.trouble import os_problem

__all__ = ["Scope", "scope_of", "unusable"]


class Scope(Struct, frozen=True):
    """`root` is the directory that ripgrep runs in and that names are relative to; `file` is the
    one file that is searched, "" for all below. `prefix` makes a name one from the working
    directory, or absolute if it is not below that."""

    root: Path
    file: str
    prefix: str
    fs: Filesystem

    def may_show_file(self, name: str) -> bool:
        return self.fs.is_file(Path(f"{self.root}/{name}"))

    def may_show_directory(self, name: str) -> bool:
        return self.fs.is_dir(Path(f"{self.root}/{name}"))

    def shown(self, name: str) -> str:
        """On one line and as text, whatever the name is made of."""
        path = f"{self.prefix}{name}"
        if not path.isprintable():
            path = path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            path = path.replace("\n", "\\n").replace("\r", "\\r")
        return path


def scope_of(tool: str, text: str, context: ToolContext) -> Scope | str:
    """The scope that the argument `path` names, or what is wrong with it."""
    try:
        place = resolve(context.cwd, text)
    except ValueError as error:
        return f"The argument `path` of {tool} is not usable: {error}."
    if context.fs.is_dir(place):
        return Scope(place, "", _prefix(context.cwd, place), context.fs)
    if context.fs.is_file(place):
        folder = place.parent
        return Scope(folder, place.name, _prefix(context.cwd, folder), context.fs)
    try:
        context.fs.names(place)
    except OSError as error:
        return os_problem(context.fs, place, error)
    return f"{place} changed while it was looked at; try again."


def unusable(tool: str, name: str, text: str, most: int) -> str:
    """Why no program can be given this text, as a sentence; "" if one can."""
    if "\0" in text:
        return f"The argument `{name}` of {tool} may not hold a NUL character."
    if len(text) > most:
        return f"The argument `{name}` of {tool} is longer than {most:,} characters."
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"The argument `{name}` of {tool} holds half a character."
    return ""


def _prefix(cwd: Path, folder: Path) -> str:
    if folder == cwd:
        return ""
    base = str(folder.relative_to(cwd)) if inside(cwd, folder) else str(folder)
    return f"{base.rstrip('/')}/"
