"""The agents that a session may send: the user's own, and those of a workspace that is trusted.

Most sessions have none: nothing is parsed, and no parser loaded, before a file is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from induscode.boot.credentials import Credentials, find_key
from induscode.boot.models import own_models
from induscode.boot.surroundings import Surroundings
from induscode.briefing.contract import SubagentBrief
from induscode.channels.terminal import exact
from induscode.policy.belongings import Kind

if TYPE_CHECKING:
    from induscode.capability_deck.agents.profile import SubagentProfile
    from induscode.crew.delegates.roster import AgentFile, Roster

__all__ = ["Agents"]

_FOLDER = "agents"
_SUFFIX = ".toml"
_FOREIGN_PROVIDER = "anthropic"
_UNTOLD = "no description"


class Agents:
    """Read once for a session and all its delegates."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around

    def names(self) -> Sequence[str]:
        return tuple(self._roster.profiles) if self._roster is not None else ()

    def find(self, name: str) -> SubagentProfile | None:
        return self._roster.profiles.get(name) if self._roster is not None else None

    @property
    def faults(self) -> tuple[str, ...]:
        return self._roster.faults if self._roster is not None else ()

    def briefs(self) -> tuple[SubagentBrief, ...]:
        """What the prompt says of them."""
        profiles = self._roster.profiles.values() if self._roster is not None else ()
        return tuple(
            SubagentBrief(each.name, each.description or _UNTOLD, each.when or None, each.source)
            for each in profiles
        )

    @cached_property
    def _roster(self) -> Roster | None:
        own = self._own_files()
        if not own and all(item.kind is not Kind.AGENT for item in self._around.door.items):
            return None
        from induscode.crew.delegates.roster import gather

        return gather(self._files(own), self._known_model)

    def _own_files(self) -> list[Path]:
        folder = self._around.places.config / _FOLDER
        with suppress(OSError):  # as a rule there is none
            return sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
        return []

    def _files(self, own: Sequence[Path]) -> Iterator[AgentFile]:
        """The user's first: a workspace does not take the place of one of them."""
        from induscode.capability_deck.agents.files import PROFILE_BYTES
        from induscode.crew.delegates.roster import AgentFile

        for path in own:
            try:
                with path.open("rb") as file:
                    yield AgentFile(str(path), file.read(PROFILE_BYTES + 1))
            except OSError as error:
                yield AgentFile(str(path), trouble=error.strerror or str(error))
        around = self._around
        for item in around.door.items:
            if item.kind is Kind.AGENT and (data := around.trust.read(item)) is not None:
                shown = exact(str(around.workspace / item.path))
                yield AgentFile(shown, data, providers=around.config.providers())

    def _known_model(self, wanted: str) -> str | None:
        """`sonnet`, or a whole name, as other programs write it; where there is a key for it."""
        from induscode.gateway.catalog import known_models

        around = self._around
        credentials = Credentials(around.places.config)
        if find_key(around.config, around.environ, credentials, _FOREIGN_PROVIDER) is None:
            return None
        known = known_models(own_models(around.config))
        names = (wanted, f"claude-{wanted}-")
        whole, family = (f"{_FOREIGN_PROVIDER}/{name}" for name in names)
        newest = next((name for name in known if name.startswith(family)), None)
        return whole if whole in known else newest
