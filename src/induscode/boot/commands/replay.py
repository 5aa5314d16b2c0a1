"""`indus replay ID`: rebuild every request and compare its bytes with what was sent."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from induscode.boot.commands.common import found_session, here, out, out_json, parser
from induscode.channels.terminal import Ink
from induscode.gateway.encoders import encoder_for
from induscode.session.blobs import BlobStore
from induscode.session.delegation import delegates_of, used_by_delegate
from induscode.session.entries import Result
from induscode.session.log import OpenReport, read_only
from induscode.session.reader import Scan
from induscode.session.replay import ReplayReport, RequestCheck, Verdict, replay
from induscode.session.store import LOG_SUFFIX

__all__ = ["run"]

_EXAMPLES = """\
  indus replay last               every request of the last session here
  indus replay 01m7gjt4 --json
exit: 0 when every request passes, 1 otherwise
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    purpose = "Rebuild every request of a session, and of its delegates, and compare digests."
    words = parser("replay", purpose, _EXAMPLES)
    words.add_argument("id", metavar="ID", help="a session id, a prefix of one, or last")
    words.add_argument("--json", action="store_true", help="one JSON object")
    words.add_argument("-q", "--quiet", action="store_true", help="only what does not pass")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    around = here(environ, asked.cwd)
    path, found = found_session(around, asked.id)
    first, *delegates = _replayed(path, found, around.store.blobs)
    passed = all(each.passed for each in (first, *delegates))
    if asked.json:
        told = [_told(each) for each in delegates]
        out_json({**_told(first), "passed": passed, "delegates": told})
    else:
        for each in (first, *delegates):
            _show(each, Ink(sys.stdout, dict(environ)), quiet=asked.quiet)
    return 0 if passed else 1


class _Replayed(Struct, frozen=True):
    """One session; a delegate's names its `parent`. `lost` says why its log cannot be read."""

    session: str
    report: ReplayReport = ReplayReport((), ())
    torn: int = 0
    parent: str = ""
    lost: str = ""

    @property
    def passed(self) -> bool:
        return self.report.passed and not self.lost


def _replayed(path: Path, found: Scan, blobs: BlobStore) -> list[_Replayed]:
    """The session, then its delegates, each with its own."""
    done = [_Replayed(path.stem, replay(found, blobs, encoder_for), found.torn)]
    waiting = [(path.stem, found)]
    seen = {path.stem}
    while waiting:
        parent, entries = waiting.pop(0)
        for call, session in delegates_of(entries.entries).items():
            if session in seen:
                continue
            seen.add(session)
            try:
                below = read_only(path.with_name(session + LOG_SUFFIX))
            except OSError as error:
                if _worked(entries, call):
                    lost = f"its log cannot be read: {error.strerror or error}"
                    done.append(_Replayed(session, parent=parent, lost=lost))
                continue  # it never began
            done.append(_Replayed(session, replay(below, blobs, encoder_for), below.torn, parent))
            waiting.append((session, below))
    return done


def _worked(found: Scan, call: str) -> bool:
    results = [e for e in found.entries if isinstance(e, Result) and e.call == call]
    return any(used_by_delegate(result.details).steps for result in results)


def _told(each: _Replayed) -> dict[str, object]:
    told: dict[str, object] = {"session": each.session, "passed": each.passed}
    if each.parent:
        told |= {"parent": each.parent, "lost": each.lost}
    return told | {"checks": each.report.checks}


def _show(each: _Replayed, ink: Ink, *, quiet: bool) -> None:
    report = each.report
    if each.parent:
        out(f"delegate {each.session} of {each.parent}")
    if each.lost:
        out(f"{ink('UNVERIFIABLE', 'yellow')}  {each.lost}")
    for sentence in OpenReport(report.damages, each.torn).sentences():
        out(f"{ink('damaged', 'yellow')}  {sentence}")
    for check in report.checks:
        if check.verdict is Verdict.PASS and quiet:
            continue
        out(_line(check, ink))
    passed = sum(check.verdict is Verdict.PASS for check in report.checks)
    verdict = ink("PASS", "green", "bold") if each.passed else ink("FAIL", "red", "bold")
    count = f"{passed} of {len(report.checks)} requests"
    out(f"{verdict}  {count} of session {each.session} rebuilt exactly")


def _line(check: RequestCheck, ink: Ink) -> str:
    head = f"request {check.number:>3}"
    if check.verdict is Verdict.PASS:
        return f"{ink('PASS', 'green')}  {head}"
    style = "yellow" if check.verdict is Verdict.UNVERIFIABLE else "red"
    where = f" at {check.where}" if check.where else ""
    entry = f" (entry {check.entry})" if check.entry else ""
    return f"{ink(check.verdict, style)}  {head}{where}{entry}: {check.detail}"
