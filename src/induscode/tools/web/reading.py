"""What an answer is, and its text: which types are read, and in which characters."""

from __future__ import annotations

import codecs
import re
from enum import Enum

from induscode.gateway.single import Head

__all__ = ["Content", "content_of", "decoded", "looks_binary", "looks_like_html"]

_HTML = frozenset({"text/html", "application/xhtml+xml"})
_TEXT = re.compile(
    r"text/.+|.+\+(?:json|xml|yaml)|application/(?:json|xml|javascript|ecmascript|typescript|toml"
    r"|graphql|sql|rtf|ld-json|manifest|(?:x-)?(?:ndjson|jsonlines|yaml|sh|shellscript|python|perl"
    r"|ruby|php|httpd-php|tex|latex|www-form-urlencoded|javascript|json|toml|web-app-manifest))"
)
_UNTOLD = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown"})
_LOOKED_AT = 2_048
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PARAMETER = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_DECLARED = re.compile(
    rb"<meta[^>]{0,400}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})"
    rb"|\A\s*<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([A-Za-z0-9_.:-]{1,40})",
    re.IGNORECASE,
)
# Python knows codecs that are no characters of a page. What calls itself Latin 1 is, on the web,
# what Windows made of it.
_CHARACTERS = re.compile(
    r"utf-8|utf-16(-[bl]e)?|ascii|iso8859-\d+|cp(125\d|866|874|932|949|950|1006)|koi8-[rtu]"
    r"|gb2312|gbk|gb18030|hz|big5(hkscs)?|shift_jis(x0213|_2004)?|euc_(jp|kr)|iso2022_jp|mac-\w+"
)
_WIDE = frozenset({"ascii", "iso8859-1"})
_WINDOWS = "cp1252"


class Content(Enum):
    HTML = "html"
    TEXT = "text"
    BINARY = "binary"
    UNTOLD = "untold"


def content_of(head: Head) -> Content:
    """By what the server says; `UNTOLD` if it does not."""
    kind = head.kind
    if kind in _UNTOLD:
        return Content.UNTOLD
    if kind in _HTML:
        return Content.HTML
    return Content.TEXT if _TEXT.fullmatch(kind) else Content.BINARY


def looks_binary(body: bytes) -> bool:
    """No text has NUL in it, unless it says that its characters are wide."""
    return b"\0" in body[:_LOOKED_AT] and not body.startswith(tuple(mark for mark, _ in _MARKS))


def looks_like_html(text: str) -> bool:
    return text[:_LOOKED_AT].lstrip().lower().startswith(("<!doctype html", "<html"))


def decoded(body: bytes, head: Head) -> str:
    """By the mark at its beginning, the header, the page itself; else UTF-8 if it is, else what
    Windows used in the west. What does not fit becomes a replacement character."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    told = _told(body, head)
    if told:
        return body.decode(told, "replace")
    try:
        # The end may be half a character, because it was cut there.
        return codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return body.decode(_WINDOWS, "replace")


def _told(body: bytes, head: Head) -> str:
    parameter = _PARAMETER.search(head.headers.get("content-type", ""))
    name = _codec(parameter[1]) if parameter else ""
    if not name and (found := _DECLARED.search(body[:_LOOKED_AT])):
        name = _codec((found[1] or found[2]).decode("ascii"))
        # A page that was read as bytes up to here cannot be in wide characters.
        name = "utf-8" if name.startswith("utf-16") else name
    return name


def _codec(label: str) -> str:
    """Empty for what is not a set of characters."""
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return ""
    if name in _WIDE:
        return _WINDOWS
    return name if _CHARACTERS.fullmatch(name) else ""
