"""The bridge ledger: which tools of MCP servers there are is the fold of what happened.

Tools are enrolled, retired, quarantined and approved; each is an event, and `fold.py` alone says
what they come to. Start reading at `events.py`, then `fold.py` and `ledger.py`; `judging.py` says
what an approval covers, `store.py` keeps the events of a workspace. May import: errors, kernel, the
deck's contract, and of policy how names are compared and a lock is waited for. Must not: connect to
a server, or know who is asked.
"""
