"""Answers a call a second time."""

from speech import allow, introduced

for message in introduced():
    allow(message)
    allow(message)
