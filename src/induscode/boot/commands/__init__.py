"""One file per command: `run(argv, environ) -> exit code`. Each parses its own words.

`common.py` holds what they share: finding a session, the parser with examples, tables.
"""
