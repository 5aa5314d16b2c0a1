"""`indus context ID`: what fills the model's window, by producer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from induscode.boot.commands.common import found_session, here, out, out_json, parser, table
from induscode.session.entries import Response
from induscode.session.reader import Scan
from induscode.session.why import RequestView, view_request

__all__ = ["run"]

_EXAMPLES = """\
  indus context last              who fills the window of the last request
  indus context last --request 3 --json
"""
_BAR = 24


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("context", "Attribute what the model read to its producers.", _EXAMPLES)
    words.add_argument("id", metavar="ID", help="a session id, a prefix of one, or last")
    words.add_argument("--request", type=int, metavar="N", help="the N-th request (default: last)")
    words.add_argument("--json", action="store_true", help="one JSON object")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    around = here(environ, asked.cwd)
    _, found = found_session(around, asked.id)
    view = view_request(found, around.store.blobs, asked.request)
    sizes: Counter[tuple[str, str]] = Counter()
    for piece in view.pieces:
        sizes[piece.by or "?", _part(piece.path)] += piece.size
    total = sum(sizes.values()) or 1
    tokens = _input_tokens(found, view)
    rows = [
        {
            "by": by,
            "part": part,
            "bytes": size,
            "share": size / total,
            "tokens": round(tokens * size / total) if tokens else None,
        }
        for (by, part), size in sizes.most_common()
    ]
    if asked.json:
        out_json({"request": view.number, "bytes": total, "input_tokens": tokens, "rows": rows})
        return 0
    counted = f"{tokens} tokens counted by the provider, " if tokens else ""
    out(f"request {view.number}: {counted}{total} bytes of text")
    cells = [
        [
            str(row["by"]),
            str(row["part"]),
            f"{row['bytes']} B",
            f"~{row['tokens']} tokens" if tokens else "-",
            "#" * max(1, round(float(row["share"] or 0) * _BAR)),
        ]
        for row in rows
    ]
    table(cells, ["put there by", "as", "bytes", "share of tokens", ""])
    return 0


def _part(path: str) -> str:
    return path.split("[", maxsplit=1)[0]


def _input_tokens(found: Scan, view: RequestView) -> int:
    """What the provider counted for this request's input, 0 when it did not say."""
    for entry in found.entries:
        if isinstance(entry, Response) and entry.request == view.request.id:
            usage = entry.usage
            return usage.input + usage.cache_read + usage.cache_write
    return 0
