"""A sub-agent's profile as a file: `.indus/agents/<name>.toml`.

Nothing in it gives more than whoever sends the agent has. A field that nobody knows makes the file
unusable: a misspelt limit must not be no limit.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from induscode.capability_deck.agents.profile import SubagentProfile
from induscode.errors import ConfigError
from induscode.policy.modes import Mode

__all__ = ["AGENTS_DIR", "PROFILE_BYTES", "discover_profiles", "read_profile", "usable_name"]

AGENTS_DIR = ".indus/agents"

PROFILE_BYTES = 256 * 1024
"""The largest file of a profile that is read."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PLACE = re.compile(r"^(?P<found>.*?) - at `\$\.?(?P<field>.*)`$", re.DOTALL)
_UNKNOWN = re.compile(r"unknown field `(?P<field>[^`]*)`")


_Positive = Annotated[float, Meta(gt=0)]


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    name: str | None = None
    model: str | None = None
    tool_collection: str | tuple[str, ...] | None = None
    prompt: str | None = None
    description: str = ""
    when: str = ""
    mode: Mode | None = None
    max_steps: Annotated[int, Meta(ge=1)] | None = None
    max_cost: _Positive | None = None
    max_seconds: _Positive | None = None


def discover_profiles(workspace: Path) -> list[SubagentProfile | ConfigError]:
    """Every `*.toml` directly in the agents directory, in the order of their names: its profile, or
    what is wrong with it. Asks nobody whether the workspace is trusted: a session does not use it.
    """
    found: list[SubagentProfile | ConfigError] = []
    for file in sorted((workspace / AGENTS_DIR).glob("*.toml")):
        try:
            with file.open("rb") as content:
                data = content.read(PROFILE_BYTES + 1)
            found.append(read_profile(data, str(file), file.stem))
        except OSError as error:
            found.append(_unreadable(str(file), error.strerror or str(error)))
        except ConfigError as error:
            found.append(error)
    return found


def read_profile(data: bytes, file: str, stem: str) -> SubagentProfile:
    """Raises `ConfigError`, naming the file, the field and the remedy."""
    if len(data) > PROFILE_BYTES:
        raise _unreadable(file, f"it is larger than {PROFILE_BYTES} bytes")
    try:
        said = msgspec.convert(tomllib.loads(data.decode()), _File)
    except msgspec.ValidationError as error:
        raise _misfit(file, str(error)) from None
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConfigError(file, field="syntax", found=what, hint="mend the line it names") from None
    fields = {key: value for key, value in msgspec.structs.asdict(said).items() if key != "name"}
    name = usable_name(said.name if said.name is not None else stem, file)
    return SubagentProfile(name=name, source=file, **fields)


def usable_name(name: str, file: str) -> str:
    """Raises `ConfigError`."""
    if _NAME.fullmatch(name) is None:
        raise ConfigError(
            file,
            field="name",
            found=f"{name[:64]!r} is not a name",
            hint="use up to 64 letters, digits, '-', '_' and '.'",
        )
    return name


def _misfit(file: str, told: str) -> ConfigError:
    unknown, place = _UNKNOWN.search(told), _PLACE.match(told)
    if unknown:
        known = ", ".join(_File.__struct_fields__)
        field, found, hint = unknown["field"], "there is no such field", f"fields: {known}"
    else:
        field, found = (place["field"], place["found"]) if place else ("file", told)
        hint = "docs/delegates.md shows what fits"
        if field == "mode":
            hint = f"use one of {', '.join(Mode)}"
    return ConfigError(file, field=field, found=found, hint=hint)


def _unreadable(file: str, why: str) -> ConfigError:
    return ConfigError(file, field="file", found=why, hint="make it a small, readable TOML file")
