"""What tools left for later calls of the conversation: a fold of its results.

Which files the model has seen, and in which state, and what each built-in tool last said to
programs (`details`). Resume and fork rebuild it from the log, and so will a rewind. It guards
against mistakes and is never an authority for permissions: whoever can edit a log can edit it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from induscode.kernel.jsontext import encode
from induscode.session.entries import Result

__all__ = ["DETAILS_BYTES", "FILES_FEATURE", "FILES_KNOWN", "Known"]

FILES_KNOWN = 10_000
"""Files remembered; of more, those that were touched last. A forgotten one is read again."""

DETAILS_BYTES = 256 * 1024
"""Details of one result that are recalled, as JSON. Of larger ones nothing is, nor older ones."""

FILES_FEATURE = "builtin:files"
"""The feature whose tools say which file they showed or wrote."""

_OURS = "builtin:"
_SHA256 = re.compile("[0-9a-f]{64}")


class Known:
    """Takes in results that went well, of tools that ship; a tool of the same name from anybody
    else says nothing here."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._details: dict[str, dict[str, Any] | None] = {}

    def add(self, entry: Result, owner: str) -> None:
        """`owner` is the feature whose tool ran."""
        if entry.outcome != "ok" or not owner.startswith(_OURS):
            return
        details = self._details[entry.tool] = entry.details
        if details is not None and owner == FILES_FEATURE:
            self._note_file(details.get("file"))

    def seen(self, path: Path) -> str | None:
        """sha256 of what the model last saw of a file: read it, wrote it or edited it."""
        return self._files.get(str(path))

    def recall(self, tool: str) -> Mapping[str, Any] | None:
        """The details of the last good result of a tool, if it had any and they are not too large.
        What is kept of them here is no copy: the log has them in memory."""
        details = self._details.get(tool)
        return None if details is None or len(encode(details)) > DETAILS_BYTES else details

    def _note_file(self, said: object) -> None:
        if not isinstance(said, dict):
            return
        fields = cast("dict[str, object]", said)
        path, sha256 = fields.get("path"), fields.get("sha256")
        if not isinstance(path, str) or not isinstance(sha256, str):
            return
        if _SHA256.fullmatch(sha256) is None:
            return
        self._files.pop(path, None)
        self._files[path] = sha256
        if len(self._files) > FILES_KNOWN:
            del self._files[next(iter(self._files))]
