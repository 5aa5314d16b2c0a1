"""Speaks another version."""

from speech import heard, send

for message in heard():
    send(id=message["id"], result={"protocol": 2, "name": "bad", "register": {"new": []}})
