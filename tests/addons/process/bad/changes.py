"""Registers something else when it is started again."""

import os
import sys
from pathlib import Path

from speech import introduced

first = Path(sys.argv[1])
kind = "gate" if first.exists() else "observe"
first.unlink(missing_ok=True)
for _ in introduced([{"event": "tool:before", "kind": kind}]):
    os._exit(1)
