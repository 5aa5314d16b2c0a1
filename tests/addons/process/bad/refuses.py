"""Answers the handshake with an error."""

from speech import heard, send

for message in heard():
    send(id=message["id"], error={"code": -1, "message": "not today"})
