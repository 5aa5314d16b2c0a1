"""Forks and ends, and so do its children: none of them is there for long. There is an end to it, so
that a test that fails does not take the machine along."""

import os
import signal

from speech import introduced

CHAINS, GENERATIONS = 4, 200

for _ in introduced():
    for _ in range(CHAINS):
        if not os.fork():
            for _ in range(GENERATIONS):
                if os.fork():
                    os._exit(0)
            signal.pause()
    signal.pause()
