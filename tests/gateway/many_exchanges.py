"""Many exchanges at once in a process of its own, so that its memory can be told.

`python -m tests.gateway.many_exchanges WIRE URL KIND... --each N` writes one JSON object: for every
kind the errors its exchanges ended in; by how many megabytes the process grew at its peak; and how
many seconds it worked.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import time
from collections import Counter
from importlib import import_module

from induscode.errors import IndusError
from induscode.gateway.endpoint import Endpoint
from induscode.gateway.http_provider import Account, HttpProvider
from induscode.gateway.transport import HttpTransport, Timeouts
from induscode.kernel.cancel import CancelToken
from tests.gateway.conversations import Heard, small_request
from tests.memory import peak_mb

SMALL = 256 * 1024  # for what never ends: the real limit would only take longer
LARGE = 16 * 1024 * 1024


class Deaf(Heard):
    """Remembers nothing: only what the provider keeps is to be measured."""

    def text(self, delta: str) -> None: ...

    def thinking(self, delta: str) -> None: ...


async def _end_of(wire: str, url: str, kind: str) -> str:
    dialect = import_module(f"induscode.gateway.{wire}.provider").DIALECT
    transport = HttpTransport(
        Endpoint.parse(f"{url}/{kind}", dialect.path.replace("{model}", "m")),
        timeouts=Timeouts(connect=30.0, idle=2.0 if kind == "stalled" else 30.0),
        max_answer=SMALL if kind.startswith("endless") else LARGE,
    )
    provider = HttpProvider(dialect, Account("some", "m", "key"), transport)
    body = provider.encoder().encode(small_request())
    try:
        await provider.exchange(body, Deaf(), CancelToken())
    except IndusError as error:
        return type(error).__name__
    finally:
        await provider.close()
    return "an answer"


async def _run(wire: str, url: str, kinds: list[str], each: int) -> dict[str, dict[str, int]]:
    asked = [kind for kind in kinds for _ in range(each)]
    ends = await asyncio.gather(*[_end_of(wire, url, kind) for kind in asked])
    found: dict[str, dict[str, int]] = {}
    for kind in kinds:
        found[kind] = Counter(end for of, end in zip(asked, ends, strict=True) if of == kind)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("wire")
    parser.add_argument("url")
    parser.add_argument("kinds", nargs="+")
    parser.add_argument("--each", type=int, required=True)
    options = parser.parse_args()
    import_module(f"induscode.gateway.{options.wire}.provider")
    gc.collect()
    before = peak_mb()
    ends = asyncio.run(_run(options.wire, options.url, options.kinds, options.each))
    sys.stdout.write(
        json.dumps({"ends": ends, "grown": peak_mb() - before, "cpu_seconds": time.process_time()})
    )


if __name__ == "__main__":
    main()
