"""The order of writes, syncs, sends and effects, from what strace saw of a whole run.

`violations` names each rule that a trace breaks; `test_order.py` shows that a sound build breaks
none and that for each rule there is a build which breaks it.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.torture.tracing import Syscall

__all__ = ["WATCHED", "Moments", "violations"]

WATCHED = (
    *("pwrite64", "write", "fdatasync", "fsync", "sendto", "sendmsg", "recvfrom"),
    *("execve", "openat", "rename", "renameat", "renameat2"),
)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BODY = re.compile(rb'\{"model".*', re.DOTALL)
_EFFECTS = ("bash", "write")


@dataclass(frozen=True)
class Recorded:
    """An entry as its line was written."""

    entry: dict[str, Any]
    call: Syscall


class Moments:
    """A trace, asked for what matters of it."""

    def __init__(self, calls: Sequence[Syscall], home: Path, workspace: Path) -> None:
        self.calls = [call for call in calls if not call.failed]
        self.home = home
        self.workspace = workspace
        self.recorded = [
            Recorded(json.loads(line), call)
            for call in self.named("pwrite64", f"<{home}/sessions/")
            for line in _bytes(call).splitlines()
        ]
        self.sends = [
            call for call in self.named("sendto", "socket:[") if b'"messages"' in _bytes(call)
        ]
        self.syncs = list(self.named("fdatasync", f"<{home}/sessions/"))

    def named(self, name: str, holding: str = "") -> Iterator[Syscall]:
        """Calls of this name, of which an argument contains these words."""
        return (c for c in self.calls if c.name.startswith(name) and holding in c.arguments)

    def of(self, kind: str, **fields: Any) -> list[Recorded]:
        return [
            row
            for row in self.recorded
            if row.entry["type"] == kind and all(row.entry.get(k) == v for k, v in fields.items())
        ]

    def synced(self, row: Recorded, before: Syscall) -> bool:
        """Whether a sync of the log began after `row` was written and ended before `before`."""
        return any(row.call.ended < sync.began and sync.ended < before.began for sync in self.syncs)

    def shown(self) -> list[Syscall]:
        return [call for call in self.named("write", "") if call.arguments.startswith("1<")]

    def effects(self, tool: str) -> list[Syscall]:
        if tool == "bash":
            return [call for call in self.named("execve") if "journal" in call.arguments]
        return list(self.named("rename", f"<{self.workspace}>"))


def violations(moments: Moments) -> set[str]:
    """The rules that do not hold, by name."""
    rules = {
        "input is on disk before the first send": _input_before_send(moments),
        "the log's name is on disk before the first send": _name_before_send(moments),
        "a request is written before its body is sent": _request_before_send(moments),
        "a request is synced after its send, before its answer has an effect": _overlap(moments),
        "an intent is on disk before its effect": _intent_before_effect(moments),
        "an answer is on disk before it is shown": _answer_before_shown(moments),
        "a step that only reads waits for no sync": _reading_waits(moments),
        "a blob is on disk before the entry that names it": _blobs_first(moments),
    }
    return {name for name, holds in rules.items() if not holds}


def _input_before_send(moments: Moments) -> bool:
    return all(moments.synced(row, moments.sends[0]) for row in moments.of("input"))


def _name_before_send(moments: Moments) -> bool:
    folder = next(moments.home.glob("sessions/*"))
    made = next(c for c in moments.named("openat", f"{folder}/") if "O_CREAT" in c.arguments)
    syncs = moments.named("fsync", f"<{folder}>")
    return any(made.ended < sync.began < moments.sends[0].began for sync in syncs)


def _request_before_send(moments: Moments) -> bool:
    requests = {row.entry["body_sha256"]: row.call for row in moments.of("request")}
    for send in moments.sends:
        body = _BODY.search(_bytes(send))
        written = requests.get(hashlib.sha256(body[0]).hexdigest()) if body else None
        if written is None or written.ended >= send.began:
            return False
    return True


def _overlap(moments: Moments) -> bool:
    """For each request: send, sync, and only then a tool or the final text."""
    effects = [c for tool in _EFFECTS for c in moments.effects(tool)] + moments.shown()
    for send in moments.sends:
        later = [effect.began for effect in effects if effect.began > send.ended]
        if not any(send.ended < s.began and s.ended < min(later) for s in moments.syncs):
            return False
    return True


def _intent_before_effect(moments: Moments) -> bool:
    for tool in _EFFECTS:
        intents, effects = moments.of("intent", tool=tool), moments.effects(tool)
        if not intents or not effects:
            return False
        if not moments.synced(intents[0], effects[0]):
            return False
    return True


def _answer_before_shown(moments: Moments) -> bool:
    return moments.synced(moments.of("response")[-1], moments.shown()[-1])


def _reading_waits(moments: Moments) -> bool:
    """Between the last byte of an answer that only reads and the next send there is no sync."""
    steps = zip(moments.of("response"), moments.sends, moments.sends[1:], strict=False)
    for response, asked, following in steps:
        called = {b["name"] for b in response.entry["content"] if b["type"] == "tool_call"}
        received = (c.ended for c in moments.named("recvfrom") if c.began > asked.ended)
        last = max(ended for ended in received if ended < following.began)
        if called == {"read"} and any(
            last < sync.began < following.began for sync in moments.syncs
        ):
            return False
    return True


def _blobs_first(moments: Moments) -> bool:
    named = 0
    for row in moments.recorded:
        for digest in re.findall(r'"sha256": ?"([0-9a-f]{64})"', json.dumps(row.entry)):
            blob = moments.home / "blobs" / digest[:2] / digest[2:]
            if blob.exists():
                named += 1
                if not _durable(moments, blob, row.call):
                    return False
    return named >= 2


def _durable(moments: Moments, blob: Path, before: Syscall) -> bool:
    """Its bytes, then its name, then the folder's record of that name."""
    content = [c.ended for c in moments.named("fdatasync", f"<{blob}.")]
    name = [c for c in moments.named("rename", f'{blob}")') if c.ended < before.began]
    folder = [c.began for c in moments.named("fsync", f"<{blob.parent}>")]
    return bool(
        content
        and name
        and content[0] < name[0].began
        and any(name[0].ended < began < before.began for began in folder)
    )


def _bytes(call: Syscall) -> bytes:
    """What a call wrote: its first string, which strace escapes as C does."""
    found = _STRING.search(call.arguments)
    return ast.literal_eval(f"b{found[0]}") if found else b""
