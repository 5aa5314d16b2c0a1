"""A loopback server that speaks the Anthropic Messages streaming format.

In a test, `with AnthropicServer([say("hi")]) as server: server.url, server.bodies`; as a process of
its own, `python -m tests.fakes.anthropic_server --script FILE --record DIR`, which writes its
address as the first line of its output.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.fakes.anthropic_steps import Step, fail, load_script
from tests.fakes.http_server import Received, ScriptedServer

__all__ = ["AnthropicServer", "Received"]


class AnthropicServer(ScriptedServer[Step]):
    def frames(self, step: Step, index: int, request: Received) -> list[bytes]:
        return step.frames(index, "claude-fake" if step.body is not None else request.model)

    def out_of_steps(self, message: str) -> Step:
        return fail(500, message)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.fakes.anthropic_server")
    parser.add_argument("--script", type=Path, required=True, help="JSON list of steps")
    parser.add_argument("--record", type=Path, help="directory for the bodies received")
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(argv)
    if options.record is not None:
        options.record.mkdir(parents=True, exist_ok=True)
    steps = load_script(options.script.read_text())
    with AnthropicServer(steps, record=options.record, port=options.port) as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        sys.stdin.read()  # the starter holds the other end: we end with it


if __name__ == "__main__":
    main()
