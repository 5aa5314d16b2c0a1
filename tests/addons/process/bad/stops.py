"""Stops itself."""

import os
import signal

from speech import introduced

for _ in introduced():
    os.kill(os.getpid(), signal.SIGSTOP)
