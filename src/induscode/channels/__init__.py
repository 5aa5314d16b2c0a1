"""How a session meets the world without a screen: print, JSON lines, a line prompt, JSON-RPC.

May import: errors, kernel. Must not: know the conductor, the log or a provider; a channel drives a
`Driver` (see `ports.py`) and shows its events. `lineprompt.py` is the conversation in a terminal,
`rpc.py` the one with a program.
"""
