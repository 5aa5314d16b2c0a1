"""Takes more memory than there is for it. What it never touches costs the machine nothing."""

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap

from speech import introduced

for _ in introduced():
    held = [mmap(-1, 512 * 1024 * 1024, flags=MAP_PRIVATE | MAP_ANONYMOUS) for _ in range(64)]
