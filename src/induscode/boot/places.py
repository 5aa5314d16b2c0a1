"""Where our own files live, and what counts as the workspace."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

__all__ = ["Places", "find_places", "workspace_of"]


class Places(Struct, frozen=True):
    """`config` holds `config.toml`; `data` sessions and blobs. With INDUS_HOME both are that."""

    config: Path
    data: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"


def find_places(environ: dict[str, str]) -> Places:
    """Read from the environment and never from a workspace."""
    home = environ.get("INDUS_HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Places(root, root)
    user = Path(environ.get("HOME") or Path.home())
    config = Path(environ.get("XDG_CONFIG_HOME") or user / ".config")
    data = Path(environ.get("XDG_DATA_HOME") or user / ".local" / "share")
    return Places(config / "indus", data / "indus")


def workspace_of(cwd: Path) -> Path:
    """The git top level of `cwd` if there is one, else `cwd`; a real path either way."""
    real = Path(os.path.realpath(cwd))
    for folder in (real, *real.parents):
        if (folder / ".git").exists():
            return folder
    return real
