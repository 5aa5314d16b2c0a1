"""The agents that a session may send, from the files that the host handed over."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from induscode.capability_deck.agents.files import read_profile
from induscode.capability_deck.agents.profile import SubagentProfile
from induscode.crew.delegates.limits import PROFILES
from induscode.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from induscode.crew.delegates.foreign import ForeignAgent, KnownModel

__all__ = ["AgentFile", "Roster", "gather"]


class AgentFile(Struct, frozen=True):
    """A file and what it says, or the `trouble` with reading it. `providers` are those that its
    model may be of; None for the user's own files, which may name any."""

    file: str
    data: bytes = b""
    trouble: str = ""
    providers: Collection[str] | None = None


class Roster(Struct, frozen=True):
    """Profiles by name, in the order in which they were found, and what is wrong with others."""

    profiles: dict[str, SubagentProfile] = {}
    faults: tuple[str, ...] = ()


def gather(files: Iterable[AgentFile], known_model: KnownModel) -> Roster:
    """One bad file is a sentence; the others are there. The first to claim a name keeps it."""
    profiles: dict[str, SubagentProfile] = {}
    faults: list[str] = []
    for file in files:
        try:
            profile = _within(_read(file, known_model, faults), file.providers)
        except ConfigError as error:
            faults.append(f"{error}; the agent is left out")
            continue
        first = profiles.get(profile.name)
        if first is not None:
            faults.append(
                f"{file.file}: name: {profile.name!r} is taken by {first.source}; the agent is left"
                " out: give it another name"
            )
        elif len(profiles) == PROFILES:
            faults.append(f"{file.file}: there are {PROFILES} agents already; it is left out")
        else:
            profiles[profile.name] = profile
    return Roster(profiles, tuple(faults))


def _read(file: AgentFile, known_model: KnownModel, faults: list[str]) -> SubagentProfile:
    if file.trouble:
        hint = "make it a readable file"
        raise ConfigError(file.file, field="file", found=file.trouble, hint=hint)
    path = PurePath(file.file)
    if path.suffix.lower() != ".md":
        return read_profile(file.data, file.file, path.stem)
    # Brings a parser of YAML along, which few sessions need.
    module = import_module("induscode.crew.delegates.foreign")
    read = cast("Callable[[bytes, str, str, KnownModel], ForeignAgent]", module.read_foreign)
    agent = read(file.data, file.file, path.stem, known_model)
    faults.extend(agent.faults)
    return agent.profile


def _within(profile: SubagentProfile, providers: Collection[str] | None) -> SubagentProfile:
    """A workspace chooses among the models that the user has; never a file or a program."""
    if profile.model is None or providers is None:
        return profile
    provider, slash, model = profile.model.partition("/")
    if slash and model and provider in providers:
        return profile
    raise ConfigError(
        profile.source,
        field="model",
        found=f"{profile.model[:60]!r} is not PROVIDER/MODEL of a provider that you have",
        hint=f"use one of {', '.join(sorted(providers))}",
    )
