"""`indus rewind ID`: take a session back, its conversation, its files or both."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from induscode.boot.checkpoints import broken_rewind, contents_of, home_of
from induscode.boot.commands.common import here, out_json, parser
from induscode.boot.rewind_report import RewindReport
from induscode.boot.rewriting import check_rewind
from induscode.boot.surroundings import Surroundings
from induscode.channels.terminal import Ink, safe
from induscode.checkpoint.plan import Plan, plan_files
from induscode.checkpoint.points import find_point
from induscode.checkpoint.rewind import Done, Scope, rewind
from induscode.errors import UserError
from induscode.kernel.events import Event, Fault, HookDecided
from induscode.session.log import read_only

__all__ = ["run"]

_EXAMPLES = """\
  indus rewind last               undo the last input: conversation and files
  indus rewind last --to 2        back to before input 2 (indus sessions --tree last)
  indus rewind last --files       only files; the conversation goes on
  indus rewind last --to ENTRY    to right after an entry: so a rewind is undone
exit: 0, or 1 when something could not be put back
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    purpose = "Take a session back to an earlier point. Nothing is lost: another rewind undoes it."
    words = parser("rewind", purpose, _EXAMPLES)
    words.add_argument("id", metavar="ID", help="a session id, a prefix of one, or last")
    words.add_argument(
        "--to", metavar="STEP", help="an input's number, or an entry's id (default: the last input)"
    )
    what = words.add_mutually_exclusive_group()
    for scope, told in (
        ("files", "only files"),
        ("chat", "only the conversation"),
        ("both", "conversation and files (default)"),
    ):
        what.add_argument(
            f"--{scope}", dest="scope", action="store_const", const=scope, default="both", help=told
        )
    words.add_argument("--dry-run", action="store_true", help="only say what would be done")
    words.add_argument("--json", action="store_true", help="one JSON object")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    around = here(environ, asked.cwd)
    path = around.store.find(asked.id, around.workspace)
    act = _foreseen if asked.dry_run else _done
    report = act(around, path, asked.to, asked.scope)
    if asked.json:
        out_json(report.data())
    else:
        report.show(Ink(sys.stdout, dict(environ)))
    return 0 if report.done.complete else 1


def _foreseen(around: Surroundings, path: Path, to: str | None, scope: Scope) -> RewindReport:
    """What a rewind would do; the session may be at work."""
    entries = read_only(path).entries
    point = find_point(entries, to)
    root, store = home_of(around, path, entries), contents_of(around, path)
    plan = Plan() if scope == "chat" else plan_files(entries, point.seq, root, store)
    done = Done(plan, plan.restore, (), entries[-1].id)
    return RewindReport(path.stem, point, scope, done, root, store, dry=True)


def _done(around: Surroundings, path: Path, to: str | None, scope: Scope) -> RewindReport:
    """Raises `SessionBusy` when another process is at work in the session."""
    log, opened = around.store.open(path)
    try:
        for told in (*opened.sentences(), broken_rewind(around, log)):
            if told:
                sys.stderr.write(f"indus: {told}\n")
        point = find_point(log.entries, to)
        root, store = home_of(around, path, log.entries), contents_of(around, path)
        if scope != "chat" and not root.is_dir():
            raise UserError(
                f"the workspace {root} is not there",
                hint="bring it back, or take back only the conversation with --chat",
            )
        asyncio.run(check_rewind(around, log, _tell))
        done = rewind(log, point, scope, root, store)
    finally:
        log.close()
    return RewindReport(path.stem, point, scope, done, root, store, dry=False)


def _tell(event: Event) -> None:
    match event:
        case Fault(message=text):
            sys.stderr.write(f"indus: {safe(text)}\n")
        case HookDecided(by=by, decision=decision, reason=reason):
            sys.stderr.write(f"indus: {by}: {decision}: {safe(reason)}\n")
        case _:
            return
