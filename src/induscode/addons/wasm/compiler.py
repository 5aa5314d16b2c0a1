"""Runs alone: reads a component from standard input, writes its compiled form to standard output.

The first line is a JSON list, the path of modules of whoever started this. A component that cannot
be compiled ends this with code 1 and a sentence on standard error.
"""

from __future__ import annotations

import json
import resource
import sys
from importlib import import_module

_MEMORY_BYTES = 6 * 1024**3


def main() -> int:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path[:] = json.loads(sys.stdin.buffer.readline())
    growth = import_module("induscode.addons.wasm.growth")
    engine = import_module("induscode.addons.wasm.engine")
    wasmtime = import_module("wasmtime")
    component = import_module("wasmtime.component").Component
    source = sys.stdin.buffer.read()
    try:
        compiled = component(engine.new_engine(), growth.guard_growth(source)).serialize()
    except (growth.Unreadable, wasmtime.WasmtimeError) as error:
        sys.stderr.write(str(error))
        return 1
    sys.stdout.buffer.write(compiled)
    return 0


if __name__ == "__main__":
    sys.exit(main())
