"""Registers an observer when it is granted something, and a gate before."""

from speech import introduced

list(introduced([{"event": "tool:before", "kind": "observe"}]))
