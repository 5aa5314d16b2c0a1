"""The session log: append-only entries, and everything that is a fold of them.

May import: errors, kernel. Must not: know a provider, a tool or a screen; rewrite a byte once
written. Start reading at `entries.py` (what is recorded), then `log.py` (how it gets to disk and
back), then `projection.py`, the only road from here to a model. `replay.py` and `why.py` walk the
same fold again to prove and to explain.
"""
