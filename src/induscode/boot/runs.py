"""Run modes: print, JSON lines, the line prompt, JSON-RPC, all on the same session."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Mapping

from induscode.boot.assemble import Surroundings, open_session, surroundings
from induscode.boot.invocation import Invocation, parse
from induscode.channels.jsonlines import JsonChannel
from induscode.channels.printing import PrintChannel
from induscode.errors import UsageError

__all__ = ["run_session"]


def run_session(argv: list[str], environ: Mapping[str, str]) -> int:
    invocation = parse(argv)
    around = surroundings(invocation, environ)
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
    session = open_session(invocation, around, channel.show)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, session.cancel)
    try:
        session.open(mode=around.config.text("mode"), cwd=str(around.cwd))
        result = await (session.submit(prompt) if prompt else session.go_on())
        return result.exit
    finally:
        await session.close()


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
