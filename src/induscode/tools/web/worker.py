"""The process that runs other people's code over other people's pages. Run by path with an isolated
interpreter; imports nothing of ours, has nothing of our environment, and bounds itself.

    python -I -S worker.py

Standard input: one line of JSON, a job; its end, whenever it comes, ends the process. Standard
output: one line of JSON, the answer.

    {"job": "read", "path": [...], "html": ..., "url": ...}      {"text": ..., "title": ...}
    {"job": "search", "path": [...], "query": ..., "limit": 5,
     "proxy": ... or null, "certificates": ... or null, "seconds": 10}   {"results": [{...}]}

Instead of an answer there may be `{"fault": ...}`, or `{"missing": ...}` that names a package.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import threading
from html import unescape
from importlib import import_module
from typing import Any, cast

__all__ = ["main"]

_MEMORY = 2 * 1024**3
_CPU_SECONDS = 60
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,1000})", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_UNSEEN = ("script", "style", "noscript", "template", "svg", "head")
_CANNOT = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
_ENOUGH = 200
"""Text of this length is a page; below it, the other reader may find more."""


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing that foreign code prints is an answer
    job = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_our_parent, daemon=True).start()
    sys.path.extend(entry for entry in job["path"] if entry not in sys.path)

    def tell(answer: dict[str, Any]) -> None:
        out.write(json.dumps(answer).encode() + b"\n")
        out.flush()
        os._exit(0)

    sys.excepthook = lambda _, error, __: tell(_trouble(error))  # whatever foreign code raises
    tell(_read(job) if job["job"] == "read" else _search(job))


def _trouble(error: BaseException) -> dict[str, Any]:
    if isinstance(error, ModuleNotFoundError):
        return {"missing": str(error.name)}
    return {"fault": f"{type(error).__name__}: {error}"}


def _end_with_our_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


def _read(job: dict[str, Any]) -> dict[str, Any]:
    """The main text; if that is hardly anything, the whole page."""
    html = _DECLARATION.sub("", job["html"])
    title = _TITLE.search(html)
    text = _main_text(html, job["url"])
    if len(text) < _ENOUGH:
        whole = _whole_text(html)
        text = whole if len(whole) > 2 * len(text) else text
    return {"text": text, "title": " ".join(unescape(title[1]).split()) if title else ""}


def _main_text(html: str, url: str) -> str:
    extract = cast("Any", import_module("trafilatura")).extract
    try:
        found = extract(
            html,
            url=url,
            output_format="markdown",
            include_links=True,
            include_formatting=True,
            include_tables=True,
            favor_recall=True,
        )
    except _CANNOT:
        return ""  # left to the other reader
    return found or ""


def _whole_text(html: str) -> str:
    soup = cast("Any", import_module("bs4")).BeautifulSoup(html, "lxml")
    for element in soup(list(_UNSEEN)):
        element.decompose()
    reader = cast("Any", import_module("markdownify")).MarkdownConverter(heading_style="ATX")
    text: str = reader.convert_soup(soup)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _search(job: dict[str, Any]) -> dict[str, Any]:
    package = cast("Any", import_module("ddgs"))
    trouble = cast("Any", import_module("ddgs.exceptions"))
    client = package.DDGS(
        proxy=job["proxy"], timeout=job["seconds"], verify=job["certificates"] or True
    )
    try:
        found = client.text(job["query"], max_results=job["limit"], backend="duckduckgo")
    except trouble.DDGSException as error:
        if "No results found" in str(error):
            return {"results": []}
        raise
    return {
        "results": [
            {"title": row.get("title"), "url": row.get("href"), "snippet": row.get("body")}
            for row in found
        ]
    }


if __name__ == "__main__":
    main()
