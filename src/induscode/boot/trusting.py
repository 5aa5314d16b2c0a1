"""Trust at the start of a run: the decision, and what it admits of the workspace's configuration.

What decides is imported when there is something to decide: most workspaces bring nothing along.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.places import Places, user_home
from induscode.channels.terminal import exact
from induscode.errors import ConfigError
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
        self.workspace = workspace
        self.places = places
        self.home = user_home(environ)
        self._cwd = cwd
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

        store = TrustStore(self.places.config, secret)
        return Trust(self.workspace, self.items, store, home=self.home, imports=self._imports)

    def layer(self, providers: Collection[str]) -> WorkspaceLayer | None:
        """The workspace's layer of configuration: none before it is trusted. `providers` are those
        the user has. Raises `ConfigError` when the store cannot be used."""
        if self._accept_at is not None:
            self.trust.accept_new(at=self._accept_at)
        for item in self.items:
            if item.kind is Kind.SETTINGS and (data := self.trust.read(item)) is not None:
                from induscode.boot.workspace_config import read_workspace_layer

                file = exact(str(self.workspace / item.path))
                return read_workspace_layer(data, file, providers=providers)
        return None

    def waiting(self) -> str:
        """One line for the person about what waits; empty when nothing does. Raises as `layer`."""
        if not self.items:
            return ""
        from induscode.boot.waiting import waiting_line

        return waiting_line(self.trust)

    def unchanged(self) -> bool:
        """Whether a new look would find the same items in the same state. Opens no file."""
        decided = "trust" not in self.__dict__ or self.trust.unchanged()
        return decided and list_belongings(self.workspace, self._cwd) == self.items

    def renewed(self) -> Door:
        """The door as it is now: itself when nothing changed. What was admitted and changed is no
        longer, what was granted meanwhile is; an item that did not change is not read again."""
        if self.unchanged():
            return self
        fresh = Door(self.workspace, self._cwd, self.places, self._environ)
        if "trust" in self.__dict__:
            fresh.trust = self.trust.renewed(fresh.items)
        return fresh

    def news(self, before: Door) -> str:
        """One line for the person about what began to wait since `before`, which was asked what it
        admits; empty when nothing did. Of a store that cannot be used, why."""
        if not self.items or self is before:
            return ""
        from induscode.boot.waiting import waiting_line

        try:
            known = frozenset(before.trust.states() if before.items else ())
            fresh = [each for each in self.trust.states() if each not in known]
        except ConfigError as error:
            return str(error)
        return waiting_line(self.trust, fresh)

    def _imports(self, text: str, path: str) -> Iterator[str]:
        from induscode.briefing.imports import find_imports, is_text_file

        for each in find_imports(text, self.workspace / path, self.home):
            if is_text_file(each.target):
                yield os.path.relpath(each.target, self.workspace)
