"""Pure data and protocols that every other package speaks.

May import: errors. Must not: do I/O, know a provider, a file format or a screen.
Start reading at `content.py` (what is said), `request.py` (what a model sees), `tool.py`
(what a tool is) and `model.py` (what a provider is).
"""
