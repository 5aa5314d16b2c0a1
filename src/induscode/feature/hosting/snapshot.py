"""A contributed tool, or task, as it was when it was registered.

Name, description and schema are read once and copied: the name that was checked is the name that
the model sees, whatever the feature's object answers later.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from induscode.errors import FeatureInstallError
from induscode.feature.background import (
    BackgroundTaskContribution,
    RestartPolicy,
    ShutdownPolicy,
    TaskActivation,
)
from induscode.feature.hosting.foreign import is_a, is_plain, plain, said, short
from induscode.feature.limits import DESCRIPTION_CHARACTERS, SCHEMA_BYTES, TEXT_CHARACTERS
from induscode.kernel.content import Image, Json, SaidBlock, Text
from induscode.kernel.tool import AgentTool, ToolContext, ToolResult

__all__ = ["ToolSnapshot", "snapshot", "task_snapshot"]

Copied = TypeVar("Copied")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class ToolSnapshot:
    """An `AgentTool` whose face cannot change any more; only running it reaches the feature."""

    def __init__(
        self, tool: AgentTool, name: str, label: str, description: str, parameters: dict[str, Any]
    ) -> None:
        self.name = name
        self.label = label
        self.description = description
        self.parameters: Mapping[str, Any] = parameters
        self.read_only = False  # what a feature says of itself here is not believed
        self._tool = tool

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        result = await self._tool.execute(arguments, context)
        try:
            return _proper(result)
        except TypeError as error:
            return ToolResult.error(f"The tool {self.name} returned no usable result: {error}")


def snapshot(tool: AgentTool, declared: str) -> ToolSnapshot:
    """Raises `FeatureInstallError` when the tool is not the one declared, or not usable."""
    try:
        name, label, description = tool.name, tool.label, tool.description
        schema = msgspec.json.encode(tool.parameters)
    except Exception as error:
        raise FeatureInstallError(f"its definition cannot be read: {said(error)}") from error
    if not all(is_plain(text) for text in (name, label, description)):
        raise FeatureInstallError("its name, label and description must be plain texts")
    if name != declared:
        raise FeatureInstallError(f"it calls itself {short(name)!r}")
    if not _NAME.fullmatch(name):
        raise FeatureInstallError(
            "a name is a letter or '_' and then up to 63 letters, digits, '_', '-'"
        )
    if len(description) > DESCRIPTION_CHARACTERS:
        raise FeatureInstallError(f"its description has over {DESCRIPTION_CHARACTERS} characters")
    return ToolSnapshot(tool, name, label[:TEXT_CHARACTERS], description, _checked(schema))


def _checked(schema: bytes) -> dict[str, Any]:
    if len(schema) > SCHEMA_BYTES:
        raise FeatureInstallError(f"its schema has over {SCHEMA_BYTES} bytes")
    try:
        parsed = msgspec.json.decode(schema, type=dict[str, Any])
    except msgspec.ValidationError:
        parsed = {}
    if parsed.get("type") != "object":
        raise FeatureInstallError("its schema is not of type object")
    return parsed


def task_snapshot(
    given: BackgroundTaskContribution, name: str, feature: str
) -> BackgroundTaskContribution:
    """The contribution with checked copies of its policies. Raises `FeatureInstallError`."""
    try:
        return BackgroundTaskContribution(
            id=name,
            task=given.task,
            description=short(plain(given.description)),
            activation=TaskActivation(given.activation),
            restart=_copied(given.restart, RestartPolicy),
            shutdown=_copied(given.shutdown, ShutdownPolicy),
            required_capabilities=tuple(given.required_capabilities),
            feature_id=feature,
        )
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError) as error:
        raise FeatureInstallError(f"its policies are not usable: {said(error)}") from error


def _copied(value: Copied, kind: type[Copied]) -> Copied:
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


def _proper(result: object) -> ToolResult:
    """A copy that is what it says. Raises TypeError for what does not keep the contract."""
    if not isinstance(result, ToolResult):
        raise TypeError(f"a {type(result).__name__}")
    display, details = result.display, result.details
    if not (details is None or is_a(details, dict)):
        raise TypeError(f"details that are a {type(details).__name__}")
    return ToolResult(
        content=tuple(_block(block) for block in result.content),
        is_error=bool(result.is_error),
        display=None if display is None else plain(display),
        details=details,
    )


def _block(block: object) -> SaidBlock:
    match block:
        case Text(text=text) if is_plain(text):
            return Text(text)
        case Image(media_type=media_type, data=bytes(data)) if is_plain(media_type):
            return Image(media_type, bytes(data))
        case Json(value=msgspec.Raw() as value):
            return Json(value)
        case _:
            raise TypeError(f"a block that is a {type(block).__name__}, or holds none of its kind")
