"""A gate that decides nothing."""

from speech import introduced, send

for message in introduced():
    send(id=message["id"], result=None)
