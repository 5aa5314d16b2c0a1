"""Tells without end."""

from speech import introduced, say

for _ in introduced():
    while True:
        say(b'{"jsonrpc":"2.0","method":"log","params":{"text":"x"}}\n' * 100)
