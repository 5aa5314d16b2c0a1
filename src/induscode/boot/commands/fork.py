"""`indus fork ID`: a self-contained copy of a session to go on from."""

from __future__ import annotations

from collections.abc import Mapping

from induscode.boot.commands.common import found_session, here, out, parser
from induscode.errors import UsageError
from induscode.session.fork import fork_log

__all__ = ["run"]

_EXAMPLES = """\
  indus fork last                 prints the id of the copy
  indus fork 01m7gjt4 --at ENTRY  ends the copy at that entry
"""


def run(argv: list[str], environ: Mapping[str, str]) -> int:
    words = parser("fork", "Copy a session into a new one that names its origin.", _EXAMPLES)
    words.add_argument("id", metavar="ID", help="a session id, a prefix of one, or last")
    words.add_argument("--at", metavar="ENTRY", default="", help="the last entry to copy")
    words.add_argument("--cwd", metavar="DIR", help="as if started there")
    asked = words.parse_args(argv)
    around = here(environ, asked.cwd)
    path, found = found_session(around, asked.id)
    if asked.at and asked.at not in {entry.id for entry in found.entries}:
        raise UsageError(f"no entry {asked.at!r} in {path.stem}", hint="indus why shows entry ids")
    copy = fork_log(path, around.store.create(around.workspace).path, at=asked.at)
    out(copy.stem)
    return 0
