"""Closes its standard input before it is asked anything, and stays."""

import os
import signal

from speech import GATE, heard, send

first = next(heard())
os.close(0)
send(id=first["id"], result={"protocol": 1, "name": "bad", "register": {"events": GATE}})
signal.pause()
