"""Takes more memory than there is for it. What it never touches costs the machine nothing."""

from speech import introduced

for _ in introduced():
    held = [bytearray(512 * 1024 * 1024) for _ in range(64)]
