"""Answers a call with an error."""

from speech import introduced, send

for message in introduced():
    send(id=message["id"], error={"code": -32000, "message": "no idea"})
