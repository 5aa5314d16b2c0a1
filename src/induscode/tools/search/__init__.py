"""`grep` and `find`, on the ripgrep that comes with this program.

`ripgrep.py` runs it, `scope.py` says where a search goes and what of it may be shown, `globs.py`
narrows it, `lines.py` reads what was found in files. Reading starts at `grep.py` and `find.py`.

May import: errors, kernel, policy, and of the tools what every tool stands on. Must not: show a
name, a line or a count of a file that the guarded `fs` of the call does not say yes to. ripgrep
opens files by itself, so each of its answers is asked about before it is used.
"""
