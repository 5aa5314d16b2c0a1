"""Which MCP servers there are, as people say it in files.

`servers.py` has the data, `reading.py` makes it of a file's bytes (`rows.py` of one row),
`discovery.py` knows the files and which of them wins. May import: errors, kernel, the names of the
bridge, how names are compared, and the port through which the briefing looks at files. Must not:
open a file by itself, since what of a workspace may be read is not known here; start or connect to
anything; raise for what a file says.
"""
