"""Takes more memory than there is for it. What it never touches costs the machine nothing."""

from speech import introduced

held = []
for _ in introduced():
    for _ in range(64):
        held.append(bytearray(512 * 1024 * 1024))
