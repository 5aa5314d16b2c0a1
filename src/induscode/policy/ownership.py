"""Whose a file is: what somebody else could have written is not read as the user's own.

A file counts when the user or root owns it and nobody else may write it, and when the same is true
of its folder. In a folder where everybody may write but only take away what is theirs (`/tmp`), the
owner of the file decides; there it must have no other name, because anybody can give it one.
"""

from __future__ import annotations

import os
import pwd
import shlex
import stat

__all__ = ["faulty_file", "faulty_folder", "is_ours"]


def is_ours(status: os.stat_result) -> bool:
    return status.st_uid in {os.geteuid(), 0}


def faulty_file(path: str, status: os.stat_result, folder: os.stat_result) -> str:
    """Why this regular file in this folder is not the user's own, as a clause with a remedy; empty
    when it is. Both are as `fstat` told, after opening."""
    if reason := faulty_folder(path.rpartition("/")[0] or "/", folder):
        return reason
    if not is_ours(status):
        return "it belongs to somebody else; make it yours, or remove it"
    if _others_write(status):
        return f"others may write it; run: chmod go-w {shlex.quote(path)}"
    if _others_write(folder) and status.st_nlink > 1:
        return "it has a second name, and anybody may have put it here; copy it in its place"
    return ""


def faulty_folder(path: str, status: os.stat_result) -> str:
    if not is_ours(status):
        return f"its folder {path} belongs to somebody else"
    if _others_write(status) and not status.st_mode & stat.S_ISVTX:
        return f"others may write its folder; run: chmod go-w {shlex.quote(path)}"
    return ""


def _others_write(status: os.stat_result) -> bool:
    """A group that is the user's own one counts as the user."""
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and status.st_gid != _own_group()


def _own_group() -> int:
    try:
        return pwd.getpwuid(os.geteuid()).pw_gid
    except KeyError:  # as in a container that runs as a number
        return os.getegid()
