"""Answers a call that was never made, as if it were another addon's."""

from speech import introduced, send

for message in introduced():
    send(id=message["id"] + 4711, result={"stop": False})
