"""Reads nothing after the handshake."""

import signal

from speech import introduced

introduced()
signal.pause()
