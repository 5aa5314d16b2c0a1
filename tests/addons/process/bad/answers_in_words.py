"""Answers with an id that looks like ours."""

from speech import introduced, send

for message in introduced():
    send(id=str(message["id"]), result={"stop": False})
