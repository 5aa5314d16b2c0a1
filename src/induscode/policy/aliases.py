"""Names of tools as people and other agents write them, in one form that can be compared."""

from __future__ import annotations

__all__ = ["tool_name"]

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


def tool_name(name: str) -> str:
    """Without case, `_` or `-`, and with the names of other agents put as ours. `__` stays, because
    it parts a server from its tool: without it `a__bc` and `ab__c` would be one name."""
    folded = name.casefold()
    if folded.startswith(_FOREIGN_PREFIX) and len(folded) > len(_FOREIGN_PREFIX):
        folded = folded.removeprefix(_FOREIGN_PREFIX)
        if "__" not in folded:
            folded += "__*"
    parts = [part.replace("_", "").replace("-", "") for part in folded.split("__")]
    plain = "__".join(parts)
    return _ALIASES.get(plain, plain)
