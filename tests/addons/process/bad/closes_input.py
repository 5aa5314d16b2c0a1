"""Closes its standard input, and stays."""

import os
import signal

from speech import introduced

introduced()
os.close(0)
signal.pause()
