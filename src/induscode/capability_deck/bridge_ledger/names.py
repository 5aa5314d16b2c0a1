"""The names by which models call tools of servers: `<server>__<tool>`, one name for one tool.

Letters, digits, `-` and single `_` stand for themselves. Everything else is escaped, `_zHH` for
ASCII and `_ZHHHHHH` for the rest; so is a `_` at the end of a part, before another one or an
escape, or where it would read as one, and what is no letter at the beginning of a server. Therefore
no part holds `__` and a server's never ends in `_`: the first `__` of a name ends the server, and
no two pairs share a name. Built-in tools have no `__`, so that none is shadowed.
"""

from __future__ import annotations

import re
import sys
import unicodedata

from induscode.capability_deck.bridge_ledger.limits import NAME_CHARACTERS

__all__ = [
    "QUALIFIER",
    "escaped_server",
    "name_problem",
    "qualify_bridge_name",
    "server_of_qualified",
    "server_problem",
    "split_qualified",
]

QUALIFIER = "__"
_SHORTEST_TOOL = 1
_LAST_ASCII = 0x7F
_ESCAPE = re.compile(r"_z([0-9a-f]{2})|_Z([0-9a-f]{6})")
_TO_ESCAPE = re.compile(
    r"[^A-Za-z0-9_-]"
    # An underscore is plain only before a character that is plain itself.
    r"|_(?![A-Za-z0-9-])"
    r"|_(?=z[0-9a-f]{2}|Z[0-9a-f]{6})"
)


def qualify_bridge_name(server: str, tool: str) -> str:
    """The one name of a server's tool, for any two texts. Whether models can be given it is what
    `name_problem` says."""
    return f"{escaped_server(server)}{QUALIFIER}{_escaped(tool)}"


def escaped_server(server: str) -> str:
    """The part of a name that says whose tool it is."""
    # Some wires want a letter or an underscore first.
    if server[:1].isdigit() or server.startswith("-"):
        return _escape(server[0]) + _escaped(f"x{server[1:]}")[1:]
    return _escaped(server)


def split_qualified(name: str) -> tuple[str, str]:
    """Server and tool, as they were given to `qualify_bridge_name`. Without a `__` there is no
    tool."""
    server, _, tool = name.partition(QUALIFIER)
    return _plain(server), _plain(tool)


def server_of_qualified(name: str) -> str:
    return split_qualified(name)[0]


def server_problem(server: str) -> str:
    """Why no tool of a server with this name is taken, as a clause; empty when they are."""
    if said := _strange(server):
        return said
    if server.casefold() == "mcp":
        return "is what other agents' rules put in front of every server's name"
    most = NAME_CHARACTERS - len(QUALIFIER) - _SHORTEST_TOOL
    if len(escaped_server(server)) > most:
        return f"is too long: with what is escaped in it, it has over {most} characters"
    return ""


def name_problem(server: str, tool: str) -> str:
    """Why a tool is refused for its name, as a clause; empty when it is not."""
    if said := server_problem(server):
        return f"its server's name {said}"
    if said := _strange(tool):
        return f"its name {said}"
    if len(name := qualify_bridge_name(server, tool)) > NAME_CHARACTERS:
        return (
            f"its name is too long: {name[:NAME_CHARACTERS]}... has {len(name)} characters,"
            f" and models can be given {NAME_CHARACTERS}"
        )
    return ""


def _strange(text: str) -> str:
    """What speaks against a text as a name, as a clause. A letter of another script may look like
    one of ours, and nobody who approves it sees that it is not."""
    if not text.strip():
        return "is empty"
    for letter in text:
        if ord(letter) > _LAST_ASCII:
            called = unicodedata.name(letter, "without a name")
            return f"holds U+{ord(letter):04X} ({called}), which is not ASCII"
        if not letter.isprintable():
            return f"holds the control character U+{ord(letter):04X}"
    return ""


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda found: _escape(found[0]), text)


def _escape(letter: str) -> str:
    code = ord(letter)
    return f"_z{code:02x}" if code <= _LAST_ASCII else f"_Z{code:06x}"


def _plain(text: str) -> str:
    return _ESCAPE.sub(_letter, text)


def _letter(found: re.Match[str]) -> str:
    """What no escape of ours says stays as it is: names that we did not make are read, too."""
    code = int(found[1] or found[2], 16)
    known = code <= sys.maxunicode and _escape(chr(code)) == found[0]
    return chr(code) if known else found[0]
