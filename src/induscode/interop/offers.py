"""What a server offers, as data of ours."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

__all__ = ["Offer", "OfferedPrompt", "OfferedResource", "OfferedTool", "PromptArgument"]


class Offer(StrEnum):
    """The lists that a server keeps, and may change."""

    TOOLS = "tools"
    PROMPTS = "prompts"
    RESOURCES = "resources"


class OfferedTool(Struct, frozen=True):
    """As the server says it; nothing of it is checked."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    annotations: Mapping[str, Any] | None = None


class PromptArgument(Struct, frozen=True):
    name: str
    description: str = ""
    required: bool = False


class OfferedPrompt(Struct, frozen=True):
    name: str
    description: str = ""
    arguments: tuple[PromptArgument, ...] = ()


class OfferedResource(Struct, frozen=True):
    """Something to be read. With `template`, `uri` has fields to be filled in before."""

    uri: str
    name: str
    description: str = ""
    media_type: str = ""
    template: bool = False
