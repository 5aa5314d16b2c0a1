"""A keyring that keeps its passwords in a file, so that two processes can share it."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

__all__ = ["FileKeyring"]


class FileKeyring(KeyringBackend):
    """Ranks itself like a real one."""

    priority = 5  # pyright: ignore[reportAssignmentType] keyring declares it as a property

    def _rows(self) -> dict[str, str]:
        file = Path(os.environ["INDUS_TEST_RING"])
        return json.loads(file.read_text()) if file.exists() else {}

    def _keep(self, rows: dict[str, str]) -> None:
        Path(os.environ["INDUS_TEST_RING"]).write_text(json.dumps(rows))

    def get_password(self, service: str, username: str) -> str | None:
        return self._rows().get(f"{service}:{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._keep({**self._rows(), f"{service}:{username}": password})

    def delete_password(self, service: str, username: str) -> None:
        rows = self._rows()
        if rows.pop(f"{service}:{username}", None) is None:
            raise PasswordDeleteError(username)
        self._keep(rows)
