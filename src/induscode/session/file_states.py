"""What a checkpoint entry says of files: each as it was before a step, and as the step left it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

__all__ = ["REWINDER", "FileChange", "FileState", "Rewound", "Unrestorable", "same"]

REWINDER = "builtin:checkpoint"
"""The producer of checkpoints, and of what the model is told of a rewind."""


class FileState(Struct, frozen=True, omit_defaults=True, gc=False):
    """What was at a path. `sha256` is of a file's bytes, or of the bytes of a link's target; it is
    empty for a file that was too large to be read, or could not be. `special` is a pipe, a socket
    or a device."""

    kind: Literal["absent", "file", "link", "dir", "special"] = "absent"
    mode: int = 0
    sha256: str = ""
    size: int = 0


class FileChange(Struct, frozen=True, omit_defaults=True):
    """One path. It is relative to the workspace, or absolute outside of it; `raw` is its exact
    bytes in base64 where they are no UTF-8."""

    path: str
    before: FileState = FileState()
    after: FileState = FileState()
    raw: str = ""


class Unrestorable(Struct, frozen=True, gc=False):
    """What could not be put back, and why. A folder's path ends in a slash."""

    path: str
    reason: str


class Rewound(Struct, frozen=True, omit_defaults=True):
    """This checkpoint is a rewind: to right after the entry `to`. `left` is the head until then:
    a rewind to it undoes this one. `broken` says that it broke off, and this is what came of it."""

    to: str
    scope: Literal["files", "chat", "both"]
    left: str
    broken: bool = False


def same(one: FileState, other: FileState) -> bool:
    """Whether nothing tells the two apart. Where a digest is not known, the size decides."""
    if one.kind != other.kind:
        return False
    match one.kind:
        case "absent" | "special":
            return True
        case "dir":
            return one.mode == other.mode
        case "link":
            return one.sha256 == other.sha256
        case "file":
            unknown = not (one.sha256 and other.sha256)
            alike = one.size == other.size if unknown else one.sha256 == other.sha256
            return alike and one.mode == other.mode
