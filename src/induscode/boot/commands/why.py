"""`indus why ID`: who put what in front of the model, and since when."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from induscode.boot.commands.common import found_session, here, out, out_json, parser, table
from induscode.channels.terminal import Ink, safe
from induscode.session.blobs import BlobStore
from induscode.session.log import read_only
from induscode.session.store import LOG_SUFFIX
from induscode.session.why import (
    Finding,
    Piece,
    Place,
    RequestView,
    find_said,
    find_text,
    view_request,
)

__all__ = ["run"]

_EXAMPLES = """\
  indus why last                          what the last request was made of
  indus why last --request 1              the first one
  indus why last --find "be concise"      who put that text there, since when
exit: 0, or 1 when --find finds nothing
"""
_SNIPPET = 60


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    purpose = "Explain what the model saw: each piece with its producer, package and grant."
    words = parser("why", purpose, _EXAMPLES)
    words.add_argument("id", metavar="ID", help="a session id, a prefix of one, or last")
    words.add_argument("--request", type=int, metavar="N", help="the N-th request (default: last)")
    words.add_argument("--find", metavar="TEXT", help="find the origin of a text")
    words.add_argument("--json", action="store_true", help="one JSON object")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    around = here(environ, asked.cwd)
    path, found = found_session(around, asked.id)
    blobs = around.store.blobs
    ink = Ink(sys.stdout, dict(environ))
    if asked.find is None:
        view = view_request(found, blobs, asked.request)
        out_json(view) if asked.json else _show_request(view, ink)
        return 0
    findings = find_text(found, blobs, asked.find)
    shown = {finding.piece.entry for finding in findings}
    findings += [f for f in find_said(found, blobs, asked.find) if _instead(f, shown)]
    if asked.request is not None:
        findings = [f for f in findings if f.since_request <= asked.request]
    findings += _behind(findings, path, blobs, asked.find)
    out_json(findings) if asked.json else _show_findings(findings, asked.find, ink)
    return 0 if findings else 1


def _instead(finding: Finding, shown: set[str]) -> bool:
    """Whether a feature put it in the place of an answer that no request showed yet."""
    return finding.piece.entry_type == "amendment" and finding.piece.entry not in shown


def _behind(findings: list[Finding], path: Path, blobs: BlobStore, wanted: str) -> list[Finding]:
    """Where the same text is in the sessions of the delegates whose answers showed it."""
    more: list[Finding] = []
    waiting = [finding.delegate for finding in findings if finding.delegate]
    seen: set[str] = set()
    while waiting:
        session = waiting.pop(0)
        log = path.with_name(session + LOG_SUFFIX)
        if session in seen or not log.exists():
            continue
        seen.add(session)
        found = read_only(log)
        there = find_text(found, blobs, wanted)
        shown = {finding.piece.entry for finding in there}
        said = [f for f in find_said(found, blobs, wanted) if f.piece.entry not in shown]
        more += [replace(finding, session=session) for finding in (*there, *said)]
        waiting += [finding.delegate for finding in there if finding.delegate]
    return more


def _show_request(view: RequestView, ink: Ink) -> None:
    request = view.request
    out(
        f"{ink(f'request {view.number}', 'bold')}  {request.at}  {request.body_bytes} bytes"
        f"  sha256 {request.body_sha256[:16]}  {request.encoder}"
    )
    rows = [
        [
            piece.path,
            piece.by or "?",
            f"{piece.size} B",
            piece.sha256[:8],
            piece.entry[-8:],
            _snippet(piece.text, 0),
        ]
        for piece in view.pieces
    ]
    table(rows, ["piece", "put there by", "size", "digest", "entry", "text"])


def _show_findings(findings: list[Finding], wanted: str, ink: Ink) -> None:
    if not findings:
        out(f"no request of this session showed the model {wanted!r}")
    for finding in findings:
        piece = finding.piece
        where = f" in delegate {finding.session}" if finding.session else ""
        out(f"{ink(piece.by or '?', 'bold', 'cyan')} put it there{where}")
        out(f"  text     …{_snippet(piece.text, max(0, piece.text.find(wanted) - 20))}…")
        place = "to" if piece.path == "answer" else "of"
        out(f"  where    {piece.path} {place} request {finding.since_request}" + _times(finding))
        if finding.delegate:
            out(f"  from     the answer of delegate {finding.delegate}")
        out(f"  since    {piece.at}, entry {piece.entry} ({piece.entry_type})")
        out(_origin(piece, finding.place))


def _origin(piece: Piece, place: Place | None) -> str:
    """The line of a file where there is one, else what is known of the piece as a whole."""
    source = f"  source   {safe(piece.source)}\n" if piece.source else ""
    if place is not None:
        source = f"  source   {safe(place.file)}:{place.line}\n"
        if place.importer:
            source += f"  importer {safe(place.importer)}\n"
    if not piece.package:
        return f"{source}  grant    none needed: not a feature's contribution"
    return f"{source}  package  sha256 {piece.package[:16]}\n  grant    {piece.grant}"


def _times(finding: Finding) -> str:
    more = finding.requests - 1
    return f" and {more} later request{'s' if more > 1 else ''}" if more > 0 else ""


def _snippet(text: str, start: int) -> str:
    return safe(" ".join(text[start : start + _SNIPPET * 2].split()))[:_SNIPPET]
