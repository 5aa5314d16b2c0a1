"""`indus replay ID`: rebuild every request and compare its bytes with what was sent."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from induscode.boot.commands.common import found_session, here, out, out_json, parser
from induscode.channels.terminal import Ink
from induscode.gateway.encoders import encoder_for
from induscode.session.log import OpenReport
from induscode.session.replay import ReplayReport, RequestCheck, Verdict, replay

__all__ = ["run"]

_EXAMPLES = """\
  indus replay last               every request of the last session here
  indus replay 01m7gjt4 --json
exit: 0 when every request passes, 1 otherwise
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    purpose = "Rebuild every request of a session from its log and compare digests."
    words = parser("replay", purpose, _EXAMPLES)
    words.add_argument("id", metavar="ID", help="a session id, a prefix of one, or last")
    words.add_argument("--json", action="store_true", help="one JSON object")
    words.add_argument("-q", "--quiet", action="store_true", help="only what does not pass")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    around = here(environ, asked.cwd)
    path, found = found_session(around, asked.id)
    report = replay(found, around.store.blobs, encoder_for)
    if asked.json:
        out_json({"session": path.stem, "passed": report.passed, "checks": report.checks})
    else:
        _show(report, Ink(sys.stdout, dict(environ)), path.stem, found.torn, quiet=asked.quiet)
    return 0 if report.passed else 1


def _show(report: ReplayReport, ink: Ink, session: str, torn: int, *, quiet: bool) -> None:
    for sentence in OpenReport(report.damages, torn).sentences():
        out(f"{ink('damaged', 'yellow')}  {sentence}")
    for check in report.checks:
        if check.verdict is Verdict.PASS and quiet:
            continue
        out(_line(check, ink))
    passed = sum(check.verdict is Verdict.PASS for check in report.checks)
    verdict = ink("PASS", "green", "bold") if report.passed else ink("FAIL", "red", "bold")
    out(
        f"{verdict}  {passed} of {len(report.checks)} requests of session {session} rebuilt exactly"
    )


def _line(check: RequestCheck, ink: Ink) -> str:
    head = f"request {check.number:>3}"
    if check.verdict is Verdict.PASS:
        return f"{ink('PASS', 'green')}  {head}"
    style = "yellow" if check.verdict is Verdict.UNVERIFIABLE else "red"
    where = f" at {check.where}" if check.where else ""
    entry = f" (entry {check.entry})" if check.entry else ""
    return f"{ink(check.verdict, style)}  {head}{where}{entry}: {check.detail}"
