"""Where a run finds itself: directories, configuration, environment, what may be read of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from induscode.boot.config import Config, load_config
from induscode.boot.credentials import Credentials
from induscode.boot.invocation import Invocation
from induscode.boot.places import Places, find_places, workspace_of
from induscode.boot.secrets import known_secrets
from induscode.boot.trusting import Door
from induscode.errors import UsageError
from induscode.kernel.clock import Clock, SystemClock, iso
from induscode.kernel.ids import IdMint
from induscode.policy.redaction import Secrets
from induscode.session.store import SessionStore

if TYPE_CHECKING:
    from induscode.policy.trust import Trust

__all__ = ["Surroundings", "surroundings"]


class Surroundings(Struct, frozen=True):
    """What a run stands in: directories, configuration, environment, time, and what nobody may see
    of it. `before_commands` is called before the first command is run."""

    cwd: Path
    workspace: Path
    places: Places
    environ: Mapping[str, str]
    config: Config
    store: SessionStore
    clock: Clock
    door: Door
    secrets: Secrets
    before_commands: Callable[[], None] | None = None

    @property
    def trust(self) -> Trust:
        """What may be used of the workspace; decided when first asked for."""
        return self.door.trust


def surroundings(invocation: Invocation, environ: Mapping[str, str]) -> Surroundings:
    """The user's configuration, then the decision about the workspace, then what that admits.

    Raises `UsageError` or `ConfigError`."""
    cwd = Path(invocation.cwd or ".").expanduser().absolute()
    if not cwd.is_dir():
        raise UsageError(f"{cwd} is not a directory", hint="give an existing one to --cwd")
    places = find_places(dict(environ))
    clock = SystemClock()
    real, workspace = Path(os.path.realpath(cwd)), workspace_of(cwd)
    accept_at = iso(clock.now_ms()) if invocation.trust else None
    door = Door(workspace, real, places, environ, accept_at=accept_at)
    config = load_config(places.config_file, environ, invocation, door.layer)
    secrets = known_secrets(config, environ, Credentials(places.config))
    return Surroundings(
        cwd=real,
        workspace=workspace,
        places=places,
        environ=environ,
        config=config,
        store=SessionStore(places.data, clock, IdMint(clock), secrets),
        clock=clock,
        door=door,
        secrets=secrets,
    )
