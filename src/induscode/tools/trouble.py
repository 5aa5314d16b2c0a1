"""What went wrong with a path, said so that the next call can be right."""

from __future__ import annotations

from pathlib import Path

from induscode.kernel.tool import Filesystem
from induscode.tools.compare import close_names

__all__ = ["missing", "os_problem"]

_SHOWN = 20


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
        return f"{path} does not exist. Near it: {', '.join(lowered[name] for name in near)}."
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
    return ", ".join(names[:_SHOWN]) + more
