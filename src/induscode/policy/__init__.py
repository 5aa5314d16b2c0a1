"""Whether a call may happen: modes, rules, and the one gate that every door uses.

May import: errors, kernel. Must not: run anything, ask anybody, or read a file of the workspace
as configuration. `gate.decide` is pure; what it needs to know of the disk (where a path really
leads, which program a word names) is gathered before it, by `paths` and `environment`.
Start reading at `modes.py` (the table), `verdict.py` and `subject.py` (what is judged), then
`gate.py`; `shellwords.py` and `commands.py` are the careful part about shells. What a workspace
brings along is another matter: `belongings.py` lists it, `trust.py` decides what of it may be used.
"""
