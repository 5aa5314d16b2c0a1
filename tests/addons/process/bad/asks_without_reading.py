"""Asks the host without end, and reads none of its answers."""

from speech import introduced, say

for _ in introduced():
    number = 0
    while True:
        number += 1
        say(b'{"jsonrpc":"2.0","id":%d,"method":"log","params":{"text":"x"}}\n' % number)
