"""Files whose secrets the model sees as marks: writing a mark back must not cost the secret."""

from __future__ import annotations

import errno
from pathlib import Path

from induscode.kernel.tool import Filesystem
from induscode.policy.redaction import Secrets

__all__ = ["MarkAwareFilesystem"]


class MarkAwareFilesystem:
    """`files`, but a write is refused (OSError) that puts a mark where the file has the secret."""

    def __init__(self, files: Filesystem, secrets: Secrets) -> None:
        self._files = files
        self._secrets = secrets
        self.read = files.read
        self.open = files.open
        self.is_file = files.is_file
        self.is_dir = files.is_dir
        self.names = files.names

    def write(self, path: Path, data: bytes) -> None:
        if self._secrets.marked(data) and self._files.is_file(path):
            lost = self._secrets.lost(self._files.read(path), data)
            if lost:
                told = f"holds a secret that you see as {lost}; it would be lost: use edit instead"
                raise OSError(errno.EINVAL, told, str(path))
        self._files.write(path, data)
