"""What a service answered, as a result that the model can act on."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from induscode.capability_deck.connectors.http import Answer
from induscode.capability_deck.connectors.limits import ANSWER_BYTES, ERROR_CHARACTERS
from induscode.capability_deck.connectors.nodes import one_line, visible
from induscode.capability_deck.connectors.settings import ConnectorSettings
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolResult

__all__ = ["told"]

_CHARSET = re.compile(r"charset=[\"']?([A-Za-z0-9._-]{1,40})")
_TEXTUAL = re.compile(r"text/|[^;]*(json|xml|yaml|javascript|html|csv|x-www-form-urlencoded)")
_SUCCESS = range(200, 300)
_REDIRECTED = range(300, 400)
_REFUSED = frozenset({401, 403})
_TOO_MANY = 429
_MALFORMED = frozenset({400, 422})
_HEADER_CHARACTERS = 1_000
_SHOWN_HEADERS = ("link", "location", "retry-after")
_KIBI = 1024


def told(
    settings: ConnectorSettings,
    slug: str,
    answer: Answer,
    clean: Callable[[str], str],
) -> ToolResult:
    """`clean` takes secrets out, before anything is cut."""
    reason = one_line(clean(answer.reason), 100)
    status = f"{answer.status} {reason}".strip()
    headers = [
        f"{name}: {one_line(clean(answer.headers[name]), _HEADER_CHARACTERS)}"
        for name in _SHOWN_HEADERS
        if name in answer.headers
    ]
    body = clean(_text(answer))
    details: dict[str, Any] = {"slug": slug, "status": answer.status}
    if answer.status in _SUCCESS:
        return ToolResult((Text("\n".join([status, *headers, body]).rstrip()),), details=details)
    if len(body) > ERROR_CHARACTERS:
        left = len(body) - ERROR_CHARACTERS
        body = f"{body[:ERROR_CHARACTERS]}\n[... {left:,} more characters ...]"
    first = f"{slug}: the service answered {status}. {_advice(settings, answer)}".strip()
    text = "\n".join([first, *headers, body]).rstrip()
    return ToolResult.error(text, details={"kind": "service", **details})


def _advice(settings: ConnectorSettings, answer: Answer) -> str:
    status = answer.status
    if status in _REDIRECTED:
        return "It sends the request elsewhere, which is not followed."
    if status in _REFUSED:
        key = f"The user must check {settings.auth.source}" if settings.auth else "It wants a key"
        return f"{key} ([connectors.{settings.name}] auth); trying again does not help."
    if status == _TOO_MANY:
        return "Wait before the next call."
    if status in _MALFORMED:
        return "Compare the arguments with what discover shows for this slug."
    return ""


def _text(answer: Answer) -> str:
    """JSON laid out, text as it is, anything else as a sentence about it."""
    kind = answer.headers.get("content-type", "")
    if not answer.body:
        return ""
    if kind and not _TEXTUAL.match(kind.lower()):
        return f"[{len(answer.body):,} bytes of {one_line(kind, 80)}, not shown]"
    charset = _CHARSET.search(kind)
    try:
        text = answer.body.decode(charset[1] if charset else "utf-8", "replace")
    except LookupError:
        text = answer.body.decode("utf-8", "replace")
    if answer.cut:
        return f"{visible(text)}\n[... cut after {ANSWER_BYTES // _KIBI**2} MB ...]"
    return visible(_laid_out(text))


def _laid_out(text: str) -> str:
    try:
        return msgspec.json.format(text.removeprefix("\ufeff"), indent=1)
    except (msgspec.DecodeError, RecursionError):
        return text
