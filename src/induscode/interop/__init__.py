"""The fleet of MCP servers: each connected on its own, all called through one runner.

Start reading at `fleet.py`, then `member.py` (the life of one server: connect, serve, reconnect)
and `connection.py` (one connection, over the official SDK). `child.py` keeps the program of a local
server, `remote.py` reaches one at an address, `results.py` makes content of what tools answer. The
SDK costs a second: `opening.py` imports it in a thread while `launching.py` starts and greets.
May import: errors, kernel, policy, tools, the deck's ledger and its configuration. Must not: decide
what is approved or advertised; be imported where no server is configured.
"""
