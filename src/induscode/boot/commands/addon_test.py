"""`indus addon test PATH`: what an addon makes of samples, or of a session that was recorded."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from induscode.addons.contract import Arguments
from induscode.addons.package import package_at
from induscode.addons.standing import Footing, look
from induscode.addons.trial.asked import Questions
from induscode.addons.trial.recorded import RecordedSession
from induscode.addons.trial.running import Taken, Trial, Tried, Way
from induscode.addons.trial.samples import ask_samples
from induscode.addons.trial.walking import Walk
from induscode.boot.addons.items import refuse_untrusted
from induscode.boot.addons.placing import COMPILED
from induscode.boot.addons.trial_view import TrialView
from induscode.boot.commands.common import found_session, here, out_json, parser
from induscode.boot.hiding import forbid_inspection
from induscode.boot.surroundings import Surroundings
from induscode.capability_deck.catalog import capability_ids
from induscode.channels.terminal import Ink
from induscode.errors import UsageError
from induscode.kernel.jsontext import JsonProblem, parse_object
from induscode.kernel.prompt_commands import RESERVED
from induscode.tools.processes.line import Keeper

__all__ = ["run"]

_EXAMPLES = """\
  indus addon test ./mine                  each contribution once, with a sample
  indus addon test ./mine --replay last    what it would have changed in a session
  indus addon test ./mine --commands --tools 'count={"path": "a.txt"}'
exit: 0, or 1 when something failed or the second run came out otherwise
"""
_TAKEN = Taken(RESERVED, tuple(map(str, capability_ids())))


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    purpose = "Run an addon, confined and with nothing granted, and show what it would change."
    words = parser("addon test", purpose, _EXAMPLES)
    words.add_argument("path", metavar="PATH", help="an addon: a folder or a file")
    words.add_argument("--replay", metavar="SESSION", help="a session id, a prefix, or last")
    words.add_argument("--commands", action="store_true", help="run its commands too")
    words.add_argument("--tools", action="append", metavar="NAME={JSON}", help="call a tool")
    words.add_argument("--all", action="store_true", help="every step, also those without effect")
    words.add_argument("--json", action="store_true", help="one JSON object")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    calls = [_call(text) for text in asked.tools or ()]
    if asked.replay is not None and (asked.commands or calls):
        raise UsageError(
            "--commands and --tools go without --replay", hint="nothing of a session calls them"
        )
    around = here(environ, asked.cwd)
    session = _recorded(around, asked.replay) if asked.replay is not None else None
    if session is not None:
        way = partial(_walked, session)
    else:
        way = partial(ask_samples, cwd=around.cwd, run_commands=asked.commands, calls=calls)
    tried = asyncio.run(_tried(Path(asked.path), around, way, session))
    if asked.json:
        out_json(tried.report)
    else:
        view = TrialView(tried, Ink(sys.stdout, environ))
        view.show(every=asked.all or session is None)
    return 0 if tried.report.passed else 1


def _recorded(around: Surroundings, wanted: str) -> RecordedSession:
    path, found = found_session(around, wanted)
    return RecordedSession(path.stem, found, around.store.blobs)


async def _walked(session: RecordedSession, questions: Questions) -> None:
    heard = {one.event for one in questions.recorded.subscriptions}
    await Walk(questions).go(session.occasions(heard))


async def _tried(
    path: Path, around: Surroundings, way: Way, session: RecordedSession | None
) -> Tried:
    """Everything that it started is gone when this returns. Raises `UserError` for what is of this
    workspace and not trusted."""
    package = package_at(path)
    refuse_untrusted(around, package)
    keeper = Keeper(forbid_inspection)
    footing = Footing(
        keeper=keeper,
        workspace=around.workspace,
        cache=around.places.data / COMPILED,
        secrets=around.secrets,
        environ=around.environ,
    )
    try:
        offers = await look(package, footing)
        trial = Trial(package, offers, footing)
        if session is None:
            return await trial.run(way, taken=_TAKEN)
        notes = tuple(session.notes({one.event for one in offers.events}))
        return await trial.run(way, taken=_TAKEN, session=session.id, notes=notes)
    finally:
        await keeper.close()


def _call(text: str) -> tuple[str, Arguments]:
    """`NAME={...}`: a tool and its arguments."""
    name, found, written = text.partition("=")
    if not found or not name.strip():
        raise UsageError(f"--tools: {text!r}", hint="write NAME={JSON}, e.g. 'count={}'")
    try:
        return name.strip(), parse_object(written)[1]
    except JsonProblem as problem:
        raise UsageError(
            f"--tools: the arguments of {name.strip()}: {problem}", hint="write a JSON object"
        ) from None
