"""Registers what there is not."""

from speech import introduced

list(introduced([{"event": "tool:befor", "kind": "gate"}]))
