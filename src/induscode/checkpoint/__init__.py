"""Undoing what steps did to files: what was there is kept, and a rewind puts it back.

A step is one call with effects. `watch.py` looks before and after it; `contents.py` keeps what
could not be had again, byte for byte, outside the workspace; `plan.py` says from the session's
entries what a rewind would do, and `rewind.py` does it and records it.

May import: errors, kernel, session, policy. Must not: write into the user's git, follow a link, or
touch a file that no step touched.
"""
