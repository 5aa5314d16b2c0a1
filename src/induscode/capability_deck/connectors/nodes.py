"""Values of a document that somebody else wrote: taken for what they are, or for nothing."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

__all__ = ["Node", "is_list", "is_map", "listed", "mapped", "one_line", "texted", "visible"]

Node: TypeAlias = Mapping[str, Any]

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co"})


def is_map(value: object) -> bool:
    return isinstance(value, Mapping)


def is_list(value: object) -> bool:
    return isinstance(value, list)


def mapped(value: object) -> Node:
    """`value` if it is a mapping, else an empty one."""
    return cast("Node", value) if isinstance(value, Mapping) else {}


def listed(value: object) -> Sequence[Any]:
    """`value` if it is a list, else an empty one."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def texted(value: object) -> str:
    """`value` if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def visible(text: str) -> str:
    """Without what nobody sees: control characters but tab and newline, zero width, BiDi."""
    unseen = [c for c in set(text) if c not in "\n\t" and unicodedata.category(c) in _UNSEEN]
    return text.translate(dict.fromkeys(map(ord, unseen))) if unseen else text


def one_line(value: object, most: int) -> str:
    """A text of the document, fit to stand in a line of ours."""
    line = " ".join(visible(texted(value)).split())
    return line if len(line) <= most else f"{line[:most].rstrip()}..."
