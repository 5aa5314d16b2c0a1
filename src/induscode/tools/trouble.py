"""What went wrong with a path, said so that the next call can be right."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from induscode.kernel.tool import Filesystem
from induscode.tools.compare import close_names

__all__ = ["missing", "os_problem", "shown_name"]

_SHOWN = 20
_BYTES, _FIRST_BYTE, _LAST_BYTE = 0xDC00, 0xDC80, 0xDCFF


def missing(fs: Filesystem, path: Path) -> str:
    """A path that does not exist: the names beside it that come near, or where it breaks off."""
    parent = path.parent
    if not fs.is_dir(parent):
        nearest = next((place for place in parent.parents if fs.is_dir(place)), Path("/"))
        return (
            f"{path} does not exist; neither does {parent}. "
            f"{nearest} does, and holds {_some(fs, nearest)}."
        )
    try:
        names = fs.names(parent)
    except OSError:
        return f"{path} does not exist."
    lowered = {name.rstrip("/").lower(): name for name in names}
    near = close_names(path.name.lower(), lowered)
    if near:
        return f"{path} does not exist. Near it: {_listed(lowered[name] for name in near)}."
    return f"{path} does not exist. {parent} holds {_some(fs, parent)}."


def os_problem(fs: Filesystem, path: Path, error: OSError) -> str:
    """Any error of the system about a path, as a sentence."""
    match error:
        case FileNotFoundError():
            return missing(fs, path)
        case IsADirectoryError():
            return f"{path} is a directory. It holds {_some(fs, path)}."
        case PermissionError():
            return f"{path} may not be opened: {error.strerror or 'permission denied'}."
        case _:
            return f"{path} {error.strerror or error}."


def _some(fs: Filesystem, directory: Path) -> str:
    try:
        names = fs.names(directory)
    except OSError as error:
        return f"what cannot be listed ({error.strerror})"
    if not names:
        return "nothing"
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return _listed(names[:_SHOWN]) + more


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(shown_name, names))


def shown_name(name: str) -> str:
    """A name that holds line breaks, controls, marks of direction or bytes that are no characters
    must not pass for another, or for two: it is shown with escapes."""
    return name if name.isprintable() else "".join(map(_escaped, name))


def _escaped(character: str) -> str:
    code = ord(character)
    if _FIRST_BYTE <= code <= _LAST_BYTE:  # a byte that is no character, as Python keeps it
        return f"\\x{code - _BYTES:02x}"
    return character if character.isprintable() else repr(character)[1:-1]
