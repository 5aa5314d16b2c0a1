"""Nests deeper than any reader wants to follow."""

from speech import introduced, say

for _ in introduced():
    say('{"jsonrpc":"2.0","id":2,"result":' + "[" * 200_000 + "]" * 200_000 + "}\n")
