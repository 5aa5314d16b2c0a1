"""`indus demo`: a guided tour on a project of its own, with a scripted model."""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from induscode.boot.assemble import open_session
from induscode.boot.commands import replay, why
from induscode.boot.commands.common import out, parser
from induscode.boot.invocation import Invocation
from induscode.boot.surroundings import surroundings
from induscode.channels.lineview import LineView
from induscode.channels.terminal import Ink
from induscode.errors import HostError

__all__ = ["run"]

_TOUR = Path(__file__).parent.parent / "tour"
_PROMPT = "What happens for an unknown harbour? Mend it, and try it."
_RULE = "bash(python3 tides.py *)"
_WIDTH = 100
_FIND = "BETWEEN_TIDES = 12"
_REFUSED = 3


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("demo", "Watch a small job from beginning to end.", "  indus demo\n")
    words.add_argument("--keep", action="store_true", help="keep the folder of the tour")
    asked = words.parse_args(argv)
    folder = Path(tempfile.mkdtemp(prefix="indus-demo-"))
    try:
        return _tour(folder, environ)
    finally:
        if asked.keep:
            out(f"\nkept in {folder}")
        else:
            shutil.rmtree(folder)


def _tour(folder: Path, environ: Mapping[str, str]) -> int:
    ink = Ink(sys.stdout, dict(environ))
    project = folder / "tides"
    shutil.copytree(_TOUR / "project", project)
    home = {**environ, "INDUS_HOME": str(folder / "home")}
    out(
        ink("A tour of indus.", "bold")
        + " The model here is a script, not a real one: it needs no key and no network.\n"
        "Everything else is the product: the tools, the rules, the log."
    )
    _say(ink, f"1. You ask: indus -p \"{_PROMPT}\" --mode accept-edits --allow '{_RULE}'")
    if asyncio.run(_ask(project, home)) != _REFUSED:
        raise HostError("the tour did not go as written")
    _say(ink, "2. Is what was sent to the model what the log says? indus replay last")
    proven = replay.run(["last", "--cwd", str(project)], home)
    _say(ink, f'3. Who put a sentence in front of the model? indus why last --find "{_FIND}"')
    explained = why.run(["last", "--cwd", str(project), "--find", _FIND], home)
    out(
        "\nThe call `rm -rf build` was refused: no rule allows it and there was nobody to ask."
        "\nNow with a real model: export ANTHROPIC_API_KEY=... and run `indus` in your project."
    )
    return proven or explained


async def _ask(project: Path, environ: Mapping[str, str]) -> int:
    invocation = Invocation(
        prompt=_PROMPT,
        model=f"scripted/{_TOUR / 'script.toml'}",
        mode="accept-edits",
        allow=(_RULE,),
        cwd=str(project),
    )
    around = surroundings(invocation, environ)
    view = LineView(sys.stdout, sys.stdout, environ, lambda: _WIDTH)
    session = open_session(invocation, around, view.show)
    try:
        return (await session.submit(_PROMPT)).exit
    finally:
        await session.close()


def _say(ink: Ink, text: str) -> None:
    out("\n" + ink(text, "bold", "cyan") + "\n")
    sys.stdout.flush()
