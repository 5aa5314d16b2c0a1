"""Calls what it was not granted, and passes on what it was told."""

from speech import introduced, send

messages = introduced()
for message in messages:
    send(id="mine", method="exec", params={"command": "id"})
    refusal = next(messages)["error"]
    send(id=message["id"], result={"stop": True, "reason": refusal["data"]["name"]})
