"""Where our own files live, and what counts as the workspace. Both are known before any trust."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

__all__ = ["Places", "find_places", "user_home", "workspace_of"]


class Places(Struct, frozen=True):
    """`config` holds `config.toml`; `data` sessions and blobs. With INDUS_HOME both are that."""

    config: Path
    data: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"


def find_places(environ: Mapping[str, str]) -> Places:
    """Read from the environment and never from a workspace."""
    home = environ.get("INDUS_HOME")
    if home:
        root = Path(home).expanduser().absolute()
        return Places(root, root)
    user = user_home(environ)
    config = Path(environ.get("XDG_CONFIG_HOME") or user / ".config")
    data = Path(environ.get("XDG_DATA_HOME") or user / ".local" / "share")
    return Places(config / "indus", data / "indus")


def user_home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home())


def workspace_of(cwd: Path) -> Path:
    """The git top level of `cwd` if there is one, else `cwd`; a real path either way.

    Nothing of `.git` is opened. One that somebody else put above us does not count: it must belong
    to the user, to root, or to whoever owns the working directory.
    """
    real = Path(os.path.realpath(cwd))
    owners = {os.geteuid(), 0, real.stat().st_uid}
    for folder in (real, *real.parents):
        try:
            if os.lstat(folder / ".git").st_uid in owners:
                return folder
        except OSError:
            continue
    return real
