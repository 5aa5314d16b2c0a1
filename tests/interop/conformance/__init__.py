"""The client scenarios of the MCP project's own conformance suite, run against our connections.

`python -m tests.interop.conformance` fetches the suite into `build/`, runs every client scenario in
both eras of the protocol and prints what came of it. Start reading at `scenarios.py`: it says which
of them do not apply to us, and why.
"""
