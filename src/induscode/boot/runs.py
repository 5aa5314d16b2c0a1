"""Run modes: print, JSON lines, the line prompt, JSON-RPC, all on the same session."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from induscode.boot.assemble import open_session
from induscode.boot.hiding import forbid_inspection, hide_environment
from induscode.boot.invocation import Invocation, parse
from induscode.boot.surroundings import Surroundings, surroundings
from induscode.channels.jsonlines import JsonChannel
from induscode.channels.printing import PrintChannel
from induscode.errors import UsageError
from induscode.kernel.events import Event

__all__ = ["run_session"]


def run_session(argv: list[str], environ: Mapping[str, str]) -> int:
    invocation = parse(argv)
    around = surroundings(invocation, environ)
    hide_environment(around.secrets)
    around = replace(around, before_commands=forbid_inspection)
    if invocation.rpc:
        from induscode.boot.rpc import serve

        return asyncio.run(serve(invocation, around))
    if not invocation.print_mode:
        from induscode.boot.talk import talk

        return talk(invocation, around)
    return asyncio.run(_print(invocation, around))


async def _print(invocation: Invocation, around: Surroundings) -> int:
    prompt = _prompt(invocation)
    channel = JsonChannel() if invocation.json else PrintChannel(dict(around.environ))
    audience = _Audience(channel.show)
    session = open_session(invocation, around, audience.show)
    audience.leave = lambda: session.cancel("nobody reads the output any more")
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, session.cancel)
    try:
        session.open(cwd=str(around.cwd))
        audience.check()
        result = await (session.submit(prompt) if prompt else session.go_on())
        audience.check()
    finally:
        await session.close()
    channel.end()
    return result.exit


class _Audience:
    """Hands events on as long as the output takes them. When it does not, the run is stopped: an
    error raised here would look like one of whatever called us, the network for example."""

    def __init__(self, show: Callable[[Event], None]) -> None:
        self.leave: Callable[[], object] = _nothing
        self._show = show
        self._trouble: OSError | None = None

    def show(self, event: Event) -> None:
        if self._trouble is not None:
            return
        try:
            self._show(event)
        except OSError as trouble:
            self._trouble = trouble
            self.leave()

    def check(self) -> None:
        if self._trouble is not None:
            raise self._trouble


def _nothing() -> None:
    """Nothing runs yet that could be stopped."""


def _prompt(invocation: Invocation) -> str:
    """The flag's words, and standard input after them when something is piped in."""
    piped = ""
    if not sys.stdin.isatty():
        with contextlib.suppress(OSError):
            piped = sys.stdin.buffer.read().decode(errors="replace")
    words = invocation.prompt or ""
    prompt = f"{words}\n\n{piped}" if words and piped.strip() else words or piped
    if not prompt.strip():
        if invocation.resume or invocation.fork:
            return ""
        raise UsageError("there is no prompt", hint='try: indus -p "what does this project do?"')
    return prompt
