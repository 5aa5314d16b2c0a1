"""The turn loop: from a person's input to a final answer, one recorded step after another.

May import: errors, kernel, session, policy's verdicts. Must not: know a provider, a tool's insides,
a file format or a screen; everything it uses is handed to it (`ports.py`). Start reading at
`turn.py`; `exchange.py` asks the model, `calls.py` runs what it wants run, `epoch.py` decides when
the prompt's prefix may change, `compaction.py` makes room.
"""
