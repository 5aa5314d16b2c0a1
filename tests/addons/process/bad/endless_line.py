"""Sends a line of a gigabyte."""

from speech import introduced, say

for _ in introduced():
    for _ in range(1024):
        say(b" " * 1024 * 1024)
