"""Sessions that several tests cut, damage, replay and explain."""

from __future__ import annotations

from pathlib import Path

from msgspec import Raw

from induscode.kernel.content import Image, Json, Opaque, Text, Thinking
from induscode.kernel.jsontext import digest
from induscode.kernel.model import StopReason
from induscode.kernel.provenance import SourcePart
from induscode.session.bridged import BridgedTool, GoneTool
from induscode.session.entries import (
    Amendment,
    Approval,
    Bridge,
    Briefing,
    Checkpoint,
    Compaction,
    Delegate,
    Hook,
    Input,
    InstalledFeature,
    Interrupted,
    ModeChange,
    Narrowing,
    Notice,
    Operation,
    Quarantine,
    StoredSpan,
)
from induscode.session.file_states import FileChange, FileState, Rewound, Unrestorable
from induscode.session.line import encode_fields
from induscode.session.storing import store_said
from tests.session.recording import Recording, call, reopen


def small(home: Path) -> Recording:
    """Two requests and one call: a few lines, each kind once."""
    it = Recording(home)
    it.start()
    it.brief(role="You are terse.")
    it.say("read it")
    first = it.ask("I will.", call("c1", arguments=b'{"path":"a"}'))
    it.intend(first, 1)
    it.note("the file changed")
    it.result(first, 1, "content of a")
    it.ask("It says: content of a.")
    return it


def everything(home: Path) -> Recording:
    """A session with every kind of entry of format version 1, and two encoders."""
    it = Recording(home)
    it.start()
    it.install(
        InstalledFeature("builtin:conductor", "0.1.0", "0" * 64, "builtin"),
        InstalledFeature("addon:notes", "2.0", "a" * 64, "granted by the user", "process"),
    )
    it.add(ModeChange("ask", reason="default"))
    long_text = "A long instruction. " * 50
    spans = [
        StoredSpan("role", "builtin:briefing", digest(b"You are terse."), 14, "You are terse."),
        StoredSpan(
            "docs", "builtin:docs", it.blobs.put(long_text.encode()), 1000, source="AGENTS.md"
        ),
    ]
    it.add(Briefing(spans=spans, cause="input"))
    live = BridgedTool("git__log", "git", "bk_0", "d" * 64, "e" * 64, deferred=True)
    gone = [GoneTool("git__push", "its definition is not the one that was approved")]
    it.add(Bridge(ledger=7, live=[live], gone=gone, cause="input"), by="builtin:mcp")
    it.offer("read", "bash")
    picture = Image("image/png", b"\x89PNG\r\n\x1a\n")
    said = store_said([Text("look at this"), picture, Json(Raw(b'{"x":1.50}'))], it.blobs)
    it.add(Input(said), by="user")
    it.note("be careful", pinned=True)
    card = [SourcePart(6, "/w/SKILL.md", 5, "/w/AGENTS.md:2"), SourcePart(12, "")]
    it.add(Notice("Kept: skill.", pinned=True, only="kept", parts=card), by="builtin:skills")
    request = it.request()
    it.answer(request, "I th", stop=StopReason.PARTIAL)
    retry = it.retry(request)
    first = it.answer(
        retry,
        Thinking("hm", "c2lnbmVk"),
        "Two calls.",
        call("same", "read", b'{"path":"a","n":1.0}'),
        call("same", "bash", b'{"command":"ls"}'),
    )
    target = f"{first.id}/3"
    it.add(Approval(target, "bash", "Run ls?", "once", rule="ask"))
    it.add(Hook("tool:before", "rewrite", target, "no colour", "ls", "ls --color=never"))
    it.intend(first, 2)
    it.intend(first, 3, effects=True)
    made = FileState("file", 0o644, "0" * 64, 2)
    changed = FileChange("a\ufffd", made, FileState("link", 0, "1" * 64, 3), "Yf8=")
    gap = Unrestorable("node_modules/", "a package manager fills it")
    it.add(Checkpoint([FileChange("a", after=made), changed], f"{first.id}/3", "bash", [gap]))
    it.add(Checkpoint([FileChange("a", made)], root="/w", rewind=Rewound(first.id, "both", "0")))
    it.result(first, 3, "a\nb", display="2 files")
    it.say("and then stop", steer=True)
    result = it.result(first, 2, "content of a")
    second = it.ask(Opaque("neutral", Raw(b'{"kind":"odd","f":1e2}')), call("c3", "bash"))
    it.add(Delegate(f"{second.id}/1", "01jxt21q7s040g2081040g2082", "scout"))
    it.add(Interrupted(f"{second.id}/1", "bash", started=True, text="Outcome unknown."))
    it.add(
        Amendment([Operation("replace", result.id, store_said([Text("[shortened]")], it.blobs))]),
        by="addon:notes",
    )
    it.ask("Done.")
    _close(it)
    return it


def _close(it: Recording) -> None:
    """Condense, change the model, amend its parameters, go on."""
    it.note("Summarise.", only="compaction")
    asked = it.request(purpose="compaction")
    it.answer(asked, "They looked at a.")
    pins = [e.id for e in it.log.entries if isinstance(e, Input)][:1]
    pins += [e.id for e in it.log.entries if isinstance(e, Notice) and e.only == "kept"]
    it.add(Compaction(it.log.entries[2].id, asked.parent, "They looked at a.", pins, asked.id))
    made = Input(store_said([Text("next")], it.blobs), parts=[SourcePart(0, "/w/next.md", 3)])
    it.add(made, by="user")
    it.add(Narrowing("the command /next", ["read", "bash(ls *)"]), by="builtin:macros")
    thought = it.ask(Thinking("so", "eHk="), "Yes?")
    it.choose("claude-fake", "anthropic")
    it.add(Amendment([Operation("omit", thought.id)], {"thinking": Raw(b'"low"')}))
    it.say("go on")
    it.answer(it.request("anthropic/1"), "Going on.")
    it.add(Quarantine(0, 0, digest(b""), len(it.log.entries), "an example that names nothing"))


def foreign_line(path: Path, *, kind: str, visible: bool, text: str = "") -> bytes:
    """A line of an addon's own entry type, to follow the last one."""
    log, _ = reopen(path)
    seq, head = log.entries[-1].seq + 1, log.head
    log.close()
    return encode_fields(
        {
            "type": kind,
            "seq": seq,
            "id": f"{kind}-{seq}",
            "parent": head,
            "at": "2025-06-15T15:06:40.000Z",
            "by": "addon:x",
            "visible": visible,
            "text": text,
            "payload": {"n": 1.50},
        }
    )
