"""Names of tools as people and other agents write them, in one form that can be compared."""

from __future__ import annotations

import re

__all__ = ["means", "tool_name"]

_ALIASES = {
    "multiedit": "edit",
    "notebookedit": "edit",
    "editfile": "edit",
    "replace": "edit",
    "strreplace": "edit",
    "applypatch": "edit",
    "writefile": "write",
    "readfile": "read",
    "notebookread": "read",
    "view": "read",
    "shell": "bash",
    "runshellcommand": "bash",
    "executecommand": "bash",
    "bashoutput": "bgprocess",
    "killshell": "bgprocess",
    "glob": "find",
    "list": "ls",
    "listdirectory": "ls",
    "fetch": "webfetch",
    "agent": "task",
    "todowrite": "todoset",
}
_FOREIGN_PREFIX = "mcp__"
_EVERY = "*"
_OF_SERVERS = "*__*"
_IN_SERVERS = re.compile(r"_z(2d|2e|2f|3a|40|5f$)|^_z(3\d)")
_IN_TOOLS = re.compile(r"_z(2e|2f|3a|40|5f)")
"""What people can write in a rule and models cannot be given in a name, as it stands in names."""


def tool_name(name: str) -> str:
    """Without case, `_` or `-`, and with the names of other agents put as ours. The first `__`
    stays, because it parts a server from its tool: without it `a__bc` and `ab__c` would be one
    name. What is escaped in it counts as what it stands for."""
    folded = name.casefold()
    if folded.startswith(_FOREIGN_PREFIX) and len(folded) > len(_FOREIGN_PREFIX):
        folded = folded.removeprefix(_FOREIGN_PREFIX)
        if "__" not in folded:
            folded += "__*"
    server, parted, tool = folded.partition("__")
    if parted:
        server, tool = _IN_SERVERS.sub(_letter, server), _IN_TOOLS.sub(_letter, tool)
    plain = _joined(server) + parted + _joined(tool)
    return _ALIASES.get(plain, plain)


def means(wanted: str, name: str) -> bool:
    """Whether the one, as somebody wrote it, means the other; both as `tool_name` gives them. With
    a `*` at its end it means all names that begin so; `mcp__x*` all tools of servers that do."""
    if wanted.endswith(_OF_SERVERS):
        return "__" in name and name.startswith(wanted[: -len(_OF_SERVERS)])
    return name.startswith(wanted[:-1]) if wanted.endswith(_EVERY) else name == wanted


def _joined(part: str) -> str:
    return part.replace("_", "").replace("-", "")


def _letter(found: re.Match[str]) -> str:
    return chr(int(found[found.lastindex or 0], 16))
