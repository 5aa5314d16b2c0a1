"""Writes to stderr without end, and does its work."""

import os
import threading

from speech import allow, introduced


def scream() -> None:
    while True:
        os.write(2, b"AAAAAAAAA\n" * 1000)


messages = introduced()
threading.Thread(target=scream, daemon=True).start()
for message in messages:
    allow(message)
    if message["method"] == "shutdown":
        os._exit(0)
