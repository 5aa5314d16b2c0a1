"""A small model that runs on this machine: no network, no key, nothing to pay.

`encoder.py` makes the two prompts of a request (`prompts.py` writes them, `transcript.py` cuts the
conversation to what they hold); `provider.py` puts them to the engine that `engine.py` keeps in a
process of its own (`worker.py`): loading holds the interpreter's lock for a second, and a crash of
foreign code must not be ours. `installation.py` finds the files without importing them.

May import: gateway.calls, kernel, errors. Must not: download anything; say anything that the model
did not write (docs/local-model.md tells what it can do).
"""
