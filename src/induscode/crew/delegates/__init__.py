"""Delegates: sub-agents that a call of `task` hands work to.

Which delegates there are (`foreign.py`, `roster.py`), what one may (`authority.py`) and for
how long (`deadline.py`), whom it asks (`person.py`), what its parent sees of it (`watching.py`) and
hears in the end (`answering.py`). The session itself is opened by the host, as every other is. May
import: errors, kernel, policy, session, capability_deck. Must not: open a session, or read a file
of a workspace for a session.
"""
