"""What an addon may touch: nothing, until the host grants it.

The check here is the first and cheap one: it is about texts and never looks at the file system, so
a link can lead it astray. What opens a file follows links and asks again; what runs a process is
confined by the system where the system can.
"""

from __future__ import annotations

from os.path import normpath
from pathlib import Path, PurePosixPath

from msgspec import Struct

from induscode.addons.paths import (
    INVISIBLE_CODE_POINTS,
    expand_path,
    resolve_path,
    scrub_invisible,
)

__all__ = [
    "DEFAULT_TIMEOUT_MS",
    "INVISIBLE_CODE_POINTS",
    "SandboxPolicy",
    "expand_path",
    "resolve_path",
    "scrub_invisible",
]

DEFAULT_TIMEOUT_MS = 30_000


class SandboxPolicy(Struct, frozen=True):
    """Grants of one addon. With `read_only`, files may be looked at and not changed. `timeout_ms`
    bounds each call into it; `env_allowlist` names what of our environment its process gets, and
    empty means nothing."""

    allow_fs: bool = False
    workspace_root: Path | None = None
    read_only: bool = False
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    env_allowlist: tuple[str, ...] = ()

    @classmethod
    def deny_all(cls) -> SandboxPolicy:
        return cls()

    @classmethod
    def confined_to(cls, root: Path | str) -> SandboxPolicy:
        """Files at or under `root`, and nothing else."""
        return cls(allow_fs=True, workspace_root=resolve_path(str(root)))

    def permits_path(self, path: Path | str) -> bool:
        """A relative path is meant from the root. A grant without a root is none."""
        if not self.allow_fs or self.workspace_root is None:
            return False
        root = resolve_path(str(self.workspace_root))
        wanted = resolve_path(str(path), root)
        if "\0" in str(wanted):
            return False
        return _normal(wanted).is_relative_to(_normal(root))

    def permits_env(self, name: str) -> bool:
        return name in self.env_allowlist


def _normal(path: Path) -> PurePosixPath:
    """Without `.`, `..` and doubled slashes, as the text alone has it."""
    return PurePosixPath("/" + normpath(str(path)).lstrip("/"))
