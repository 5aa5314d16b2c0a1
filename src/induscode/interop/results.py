"""What a server answers, as content for a model: bounded, pictures as pictures."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    ReadResourceResult,
    ResourceLink,
    TextContent,
    TextResourceContents,
)
from msgspec import Raw

from induscode.capability_deck.contract import ToolOutcome
from induscode.interop.limits import BLOCKS_MOST, IMAGES_MOST
from induscode.kernel.content import Image, Json, SaidBlock, Text
from induscode.kernel.jsontext import JsonProblem, encode
from induscode.tools.limits import IMAGE_BYTES
from induscode.tools.pictures import is_oversized
from induscode.tools.textfile import image_type

__all__ = ["content_of", "outcome_of", "prompt_blocks", "resource_blocks"]


def outcome_of(result: CallToolResult) -> ToolOutcome:
    """Structured content is left out where a text says the same."""
    blocks = content_of(result.content)
    structured: Any = result.structured_content
    if structured is not None and not any(_says(block, structured) for block in blocks):
        blocks = (*blocks, _structured(structured))
    return ToolOutcome(blocks or (Text(""),), is_error=result.is_error)


def prompt_blocks(result: GetPromptResult) -> tuple[SaidBlock, ...]:
    """All of its messages, in order. Those of the assistant say whose they are."""
    blocks: list[SaidBlock] = []
    for message in result.messages:
        if message.role == "assistant":
            blocks.append(Text("[as if you had said:]"))
        blocks.extend(content_of([message.content]))
    return _bounded(blocks)


def resource_blocks(result: ReadResourceResult) -> tuple[SaidBlock, ...]:
    return _bounded(_contents(each) for each in result.contents)


def content_of(content: Sequence[ContentBlock]) -> tuple[SaidBlock, ...]:
    return _bounded(_block(each) for each in content)


def _bounded(blocks: Iterable[SaidBlock]) -> tuple[SaidBlock, ...]:
    kept: list[SaidBlock] = []
    images = left_out = 0
    for block in blocks:
        images += isinstance(block, Image)
        if len(kept) >= BLOCKS_MOST or (isinstance(block, Image) and images > IMAGES_MOST):
            left_out += 1
        else:
            kept.append(block)
    if left_out:
        kept.append(Text(f"[{left_out} more parts of this result were left out]"))
    return tuple(kept)


def _block(content: ContentBlock) -> SaidBlock:
    match content:
        case TextContent():
            return Text(content.text)
        case ImageContent():
            return _picture(content.data, content.mime_type)
        case AudioContent():
            return Text(f"[sound, {content.mime_type}: it cannot be played to you]")
        case ResourceLink():
            return Text(_link(content))
        case EmbeddedResource():
            return _contents(content.resource)


def _contents(contents: TextResourceContents | BlobResourceContents) -> SaidBlock:
    kind = f", {contents.mime_type}" if contents.mime_type else ""
    match contents:
        case TextResourceContents():
            return Text(f"[resource {contents.uri}{kind}]\n{contents.text}")
        case BlobResourceContents():
            picture = _picture(contents.blob, contents.mime_type or "")
            if isinstance(picture, Image):
                return picture
            return Text(f"[resource {contents.uri}{kind}: its bytes cannot be shown to you]")


def _picture(data: str, claimed: str) -> SaidBlock:
    """By its bytes: what a server claims of them is not what a model would see."""
    try:
        found = b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return Text(f"[picture, {claimed}: its data is damaged]")
    kind = image_type(found)
    if kind is None:
        return Text(f"[picture, {claimed}, {len(found):,} bytes: it cannot be shown to you]")
    if len(found) > IMAGE_BYTES or is_oversized(found):
        return Text(f"[picture, {kind}, {len(found):,} bytes: too large to be shown to you]")
    return Image(kind, found)


def _link(link: ResourceLink) -> str:
    kind = f", {link.mime_type}" if link.mime_type else ""
    more = f": {link.description}" if link.description else ""
    return f"[link to the resource {link.uri} ({link.name}{kind}){more}]"


def _structured(value: Any) -> SaidBlock:
    try:
        return Json(Raw(encode(value)))
    except (JsonProblem, UnicodeError) as error:
        return Text(f"[structured content that cannot be kept: {error}]")


def _says(block: SaidBlock, structured: Any) -> bool:
    """Servers wrap a value that is no object as `{"result": value}`."""
    if not isinstance(block, Text):
        return False
    plain: tuple[Any, ...] = (structured,)
    match structured:
        case {"result": value, **rest} if not rest:
            plain = (structured, value)
        case _:
            pass
    if block.text in plain:
        return True
    try:
        return msgspec.json.decode(block.text) in plain
    except (msgspec.DecodeError, RecursionError):
        return False
