"""`[briefing]` of the user's own file: what the prompt is made of, and how much of it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from induscode.boot.config import Config
from induscode.boot.places import Places
from induscode.errors import ConfigError

__all__ = ["BriefingSettings", "briefing_settings"]

_Count = Annotated[int, Meta(ge=0)]


class BriefingSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`prelude` stands before everything. `documents`, `skills` and `commands` say whether there
    are any at all; the limits are those of the loaders where None."""

    prelude: str = ""
    documents: bool = True
    skills: bool = True
    commands: bool = True
    max_import_depth: _Count | None = None
    max_bytes_per_doc: _Count | None = None
    max_bytes: _Count | None = None
    max_skills_characters: _Count | None = None


def briefing_settings(config: Config, places: Places) -> BriefingSettings:
    """Raises `ConfigError`."""
    table = config.table("briefing", places.config_file)
    if not table:
        return BriefingSettings()
    try:
        return msgspec.convert(table, BriefingSettings)
    except msgspec.ValidationError as error:
        raise ConfigError(
            str(places.config_file),
            field="briefing",
            found=str(error),
            hint="docs/briefing.md shows the table",
        ) from None
