"""Answers, but only when it was told that nobody waits any more."""

from speech import introduced, send

asked = []
for message in introduced():
    if message["method"] == "event" and not asked:
        asked.append(message["id"])
    elif message["method"] == "$/cancel":
        send(id=asked[0], result={"stop": False})
    else:
        send(id=message["id"], result={"stop": False, "reason": "in time"})
