"""YAML as data and nothing else, built from the parser's events.

No tag makes an object, no key is anything but a text, a date stays a text, and `no` is no boolean
(YAML 1.2). Depth is bounded, because the C parser's own builder follows nesting down its stack;
what the aliases stand for is counted while it is built, so that a small text cannot become a huge
value; a value that contains itself is refused.
"""

from __future__ import annotations

import re
from typing import Any, cast

import yaml

__all__ = ["load_yaml"]

_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = frozenset({"true", "True", "TRUE"})
_FALSE = frozenset({"false", "False", "FALSE"})
_INTEGER = re.compile(r"[-+]?[0-9]{1,30}")
_REAL = re.compile(r"[-+]?(\.[0-9]{1,30}|[0-9]{1,30}(\.[0-9]{0,30})?)([eE][-+]?[0-9]{1,3})?")
_TEXT_TAG = "tag:yaml.org,2002:str"
_MERGE = "<<"


def load_yaml(text: str, *, depth: int = 200, values: int = 2_000_000) -> Any:
    """The first document of `text`, nested at most `depth` deep and with at most so many `values`,
    aliases written out. Raises ValueError, with the line where that helps."""
    parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(depth, values)
    try:
        events = parser(text)
        while not builder.done and events.check_event():
            builder.take(events.get_event())
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ValueError(f"not YAML: {error.problem}{line}") from None
    except yaml.YAMLError:
        raise ValueError("not YAML") from None
    return builder.value


class _Frame:
    """A list or mapping that is being built. `size` is how many values stand in it, written out."""

    def __init__(self, node: list[Any] | dict[str, Any], anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.size = 1
        self.key: str | None = None
        self.merged: list[Any] = []


class _Builder:
    def __init__(self, depth: int, values: int) -> None:
        self._depth = depth
        self._values = values
        self.value: Any = None
        self.done = False
        self._open: list[_Frame] = []
        self._anchored: dict[str, tuple[Any, int]] = {}

    def take(self, event: yaml.Event) -> None:
        match event:
            case yaml.ScalarEvent():
                self._scalar(event)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                if len(self._open) >= self._depth:
                    raise ValueError(f"nested more than {self._depth} deep")
                node: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
                self._open.append(_Frame(node, event.anchor))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close()
            case yaml.AliasEvent():
                found = self._anchored.get(event.anchor)
                if found is None:
                    raise ValueError(f"the alias *{event.anchor} stands for nothing, or for itself")
                self._put(*found)
            case yaml.DocumentEndEvent():
                self.done = True
            case _:
                pass

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        frame = self._open[-1] if self._open else None
        is_key = frame is not None and isinstance(frame.node, dict) and frame.key is None
        value = event.value if is_key else _resolved(event)
        if event.anchor:
            self._anchored[event.anchor] = (value, 1)
        self._put(value, 1)

    def _close(self) -> None:
        frame = self._open.pop()
        for source in frame.merged:
            for each in cast("list[Any]", source) if isinstance(source, list) else [source]:
                if isinstance(each, dict) and isinstance(frame.node, dict):
                    frame.node = {**cast("dict[str, Any]", each), **frame.node}
        if frame.anchor:
            self._anchored[frame.anchor] = (frame.node, frame.size)
        self._put(frame.node, frame.size)

    def _put(self, value: Any, size: int) -> None:
        if not self._open:
            self.value = value
            return
        frame = self._open[-1]
        frame.size += size
        if frame.size > self._values:
            raise ValueError(f"its aliases stand for more than {self._values:,} values")
        if isinstance(frame.node, list):
            frame.node.append(value)
        elif frame.key is not None:
            if frame.key == _MERGE:
                frame.merged.append(value)
            else:
                frame.node[frame.key] = value
            frame.key = None
        elif isinstance(value, str):
            frame.key = value
        else:
            raise ValueError("a key of a mapping is not a text")


def _resolved(event: yaml.ScalarEvent) -> Any:
    text = event.value
    if event.tag == _TEXT_TAG or not (event.implicit[0] or event.tag):
        return text
    if event.style not in {None, ""}:
        return text
    if text in _NULL:
        return None
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _REAL.fullmatch(text) else text
