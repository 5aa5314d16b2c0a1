"""Uses one id for two calls at a time."""

from speech import introduced, send

for _ in introduced():
    for _ in range(2):
        send(id=1, method="notify", params={"text": "x"})
