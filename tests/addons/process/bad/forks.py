"""Has children that are never the same for long: each is replaced by its own child."""

import os
import signal

from speech import introduced

for _ in introduced():
    for _ in range(4):
        if not os.fork():
            while True:
                if os.fork():
                    os._exit(0)
    signal.pause()
