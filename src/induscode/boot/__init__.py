"""The composition root: from the words on the command line to a running session.

The only package that knows every implementation; nothing but `sdk` and `entry` may import it. What
is heavy is imported here, when it is used. Start reading at `main.py` (which command), then
`invocation.py` (the flags), `config.py` (layers), `assemble.py` (how the parts are put together).
"""
