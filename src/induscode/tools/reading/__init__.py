"""How `read` shows files that are more than a page of text: notebooks, files too large for memory,
and those that are no text at all.

May import: kernel, policy, and the modules of `tools` beside it. Must not: open a file by itself;
bytes come through the call's `Filesystem`.
"""
