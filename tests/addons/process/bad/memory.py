"""Takes all memory there is."""

from speech import introduced

for _ in introduced():
    held = b"x"
    while True:
        held += held
