"""Trust at the start of a run: the decision, and what it admits of the workspace's configuration.

What decides is imported when there is something to decide: most workspaces bring nothing along.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.places import Places, user_home
from induscode.channels.terminal import exact
from induscode.policy.belongings import Belonging, Kind, list_belongings

if TYPE_CHECKING:
    from induscode.boot.workspace_config import WorkspaceLayer
    from induscode.policy.trust import Trust

__all__ = ["Door"]


class Door:
    """A workspace at its door: what it brings along is listed, and nothing of it was opened.

    `accept_at` is for `--trust`: what is new is accepted, at this time, as soon as the user's own
    configuration is known.
    """

    def __init__(
        self,
        workspace: Path,
        cwd: Path,
        places: Places,
        environ: Mapping[str, str],
        *,
        accept_at: str | None = None,
    ) -> None:
        self.items: tuple[Belonging, ...] = list_belongings(workspace, cwd)
        self._workspace = workspace
        self._places = places
        self._environ = environ
        self._accept_at = accept_at

    @cached_property
    def trust(self) -> Trust:
        """The decision about this workspace, from the user's store."""
        from induscode.policy.trust import Trust
        from induscode.policy.trust_store import TrustStore

        def secret(data: bytes) -> bool:
            from induscode.boot.secrets import secrets_of_process

            return secrets_of_process(self._environ).touches(data)

        store, home = TrustStore(self._places.config, secret), user_home(self._environ)
        return Trust(self._workspace, self.items, store, home=home)

    def layer(self, providers: Collection[str]) -> WorkspaceLayer | None:
        """The workspace's layer of configuration: none before it is trusted. `providers` are those
        the user has. Raises `ConfigError` when the store cannot be used."""
        if self._accept_at is not None:
            self.trust.accept_new(at=self._accept_at)
        for item in self.items:
            if item.kind is Kind.SETTINGS and (data := self.trust.read(item)) is not None:
                from induscode.boot.workspace_config import read_workspace_layer

                file = exact(str(self._workspace / item.path))
                return read_workspace_layer(data, file, providers=providers)
        return None

    def waiting(self) -> str:
        """One line for the person about what waits; empty when nothing does. Raises as `layer`."""
        if not self.items:
            return ""
        from induscode.boot.waiting import waiting_line

        return waiting_line(self.trust)
