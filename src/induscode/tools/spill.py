"""Texts too long for the model, kept in files that it can read."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

__all__ = ["Spill"]


class Spill:
    """Files of one session, in a folder that is made when first needed. `clean` takes secrets out
    of what is kept."""

    def __init__(self, folder: Path, clean: Callable[[str], str] = str) -> None:
        self._folder = folder
        self._clean = clean

    def keep(self, name: str, text: str) -> Path:
        """Write `text` to a new file whose name begins with `name`, and return its path."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "output"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        number = 1
        while True:
            path = self._folder / f"{plain}-{number}.txt"
            try:
                handle = os.open(path, flags, 0o600)
            except FileExistsError:
                number += 1
                continue
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                file.write(self._clean(text))
            return path
