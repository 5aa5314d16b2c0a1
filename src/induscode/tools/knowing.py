"""Whether the model knows the file that it is about to change.

What `read`, `write` and `edit` leave in their result's details is folded from the session's log;
a change of a file is refused when its bytes are not the ones that the model saw last. Bytes are
compared, not times: a file that was touched, or changed and changed back, is still known.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from induscode.kernel.jsontext import clean_text, digest
from induscode.kernel.tool import ToolContext

__all__ = ["file_details", "unknown_state"]


def file_details(context: ToolContext, path: Path, data: bytes) -> dict[str, Any]:
    """What a result says of the file that the model has seen with it: all of it is `data`."""
    return {"file": {"path": _name(context, path), "sha256": digest(data)}}


def unknown_state(context: ToolContext, path: Path, data: bytes) -> str | None:
    """Why a file that holds `data` may not be changed now, as a sentence; None when it may."""
    if context.read_state is None:
        return None
    seen = context.read_state.seen(Path(_name(context, path)))
    if seen is None:
        return f"Read {path} first."
    if seen != digest(data):
        return f"{path} changed since you read it; read it again."
    return None


def _name(context: ToolContext, path: Path) -> str:
    """The path as the log can hold it: without secrets, and without what JSON cannot say."""
    return context.clean(clean_text(str(path))[0])
