"""Sends bytes that are no text."""

from speech import introduced, say

for message in introduced():
    say(b'{"jsonrpc":"2.0","id":%d,"result":{"stop":false,"reason":"\xff\xfe"}}\n' % message["id"])
