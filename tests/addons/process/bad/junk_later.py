"""Prints in the middle of a call."""

from speech import allow, introduced, say

for message in introduced():
    say("debug: looking\n")
    allow(message)
