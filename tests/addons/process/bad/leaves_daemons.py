"""Leaves processes behind, in sessions of their own, and ends."""

import os
import signal

from speech import introduced

for _ in introduced():
    for _ in range(3):
        if not os.fork():
            os.setsid()
            if not os.fork():
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                while True:
                    signal.pause()
            os._exit(0)
    os._exit(0)
