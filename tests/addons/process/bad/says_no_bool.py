"""A gate whose decision is no decision."""

from speech import introduced, send

for message in introduced():
    send(id=message["id"], result={"stop": "no"})
