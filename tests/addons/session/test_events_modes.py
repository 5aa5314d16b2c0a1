"""Each of the thirteen events in each run mode: what the handler is given, and what it changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.addons.session.walks import MODES, Walk, installed, walked
from tests.cli.home import CANARY
from tests.fakes.anthropic_steps import calls, say
from tests.requirements import requirement

BY = "user:witness"
PROMPT = "write the draft-word about old-news"
FULL = {"input": 190_000}
"""So much that the conversation must be condensed before the next request."""
STEPS = (
    calls(("bash", {"command": "env"}), text="A raw-word first.", usage=FULL),
    calls(("bash", {"command": "echo two"}), usage=FULL),
    say("Condensed: a raw-word."),
    say("The last raw-word."),
)
HEADING = "The conversation so far was condensed to this summary:\n\n"

Walking = Callable[[str], Walk]
Payloads = list[dict[str, Any]]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walking:
    """The walk of each mode, done once; one session carries all events."""
    root = tmp_path_factory.mktemp("modes")
    home = installed(root / "home", Path(__file__).with_name("witness.py"))
    done: dict[str, Walk] = {}

    def of(mode: str) -> Walk:
        if mode not in done:
            done[mode] = walked(home, root / mode, mode, PROMPT, STEPS)
        return done[mode]

    return of


def _lifecycle(walk: Walk, text: str = "") -> Payloads:
    return [{"type": "lifecycle", "session": walk.session, "text": text}]


def _calls(walk: Walk) -> Iterator[tuple[str, str]]:
    """Of each call its id, and what its tool returned."""
    for entry in walk.logged("result"):
        yield entry["call"], entry["content"][0]["text"]


def _before(walk: Walk) -> Payloads:
    lines = ("env", "echo two")
    return [
        {"type": "tool", "name": "bash", "args": {"command": line}, "call_id": id_, "result": None}
        for line, (id_, _) in zip(lines, _calls(walk), strict=True)
    ]


def _after(walk: Walk) -> Payloads:
    shown = [
        {
            "content": [{"type": "text", "text": text}],
            "is_error": False,
            "display": None,
            "details": None,
        }
        for _, text in _calls(walk)
    ]
    return [
        given | {"args": {"command": f"{given['args']['command']}; echo rewritten"}, "result": each}
        for given, each in zip(_before(walk), shown, strict=True)
    ]


def _context(walk: Walk) -> Payloads:
    """Entries are those of the log: what stands for a message is its last amendment."""
    shaped = {
        entry["operations"][0]["content"][0]["text"]: entry["id"]
        for entry in walk.logged("amendment", by=BY)
        if "operations" in entry
    }

    def message(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "text": text, "entry": shaped[text]}

    said = message("user", "write the final-word about [left out]")
    first, _ = walk.logged("result")
    read = "".join(block["text"] for block in first["content"])
    given = (
        [message("user", "write the final-word about old-news")],
        [
            said,
            message("assistant", "A fine-word first."),
            {"role": "user", "text": read, "entry": first["id"]},
        ],
        [message("user", f"{HEADING}Condensed: a fine-word."), said],
    )
    return [{"type": "context", "messages": messages} for messages in given]


def _parameters(_: Walk) -> Payloads:
    first = {"max_output": 64_000, "thinking": "off"}
    later = first | {"temperature": 0.25}
    return [{"type": "chat", "params": params} for params in (first, later, later)]


def _messages(_: Walk) -> Payloads:
    answers = (("A raw-word first.", 1), ("", 1), ("The last raw-word.", 0))
    return [{"type": "message", "text": text, "calls": count} for text, count in answers]


def _environment(walk: Walk) -> Payloads:
    """What the command will find; what is secret never is in it."""
    given = walk.of("shell:env")
    names = [set(payload["env"]) for payload in given]
    assert all(CANARY not in json.dumps(payload) for payload in given)
    assert all({"HOME", "PATH", "LANG"} <= each for each in names)
    assert not any("WITNESS_MARK" in each for each in names), "it holds for one command"
    return [{"type": "shell", "env": payload["env"]} for payload in given[:2]]


def _compact(*summaries: str) -> Callable[[Walk], Payloads]:
    full = {"type": "compact", "reason": "it is nearly full"}
    return lambda _: [full | {"summary": summary} for summary in summaries]


PAYLOADS: dict[str, Callable[[Walk], Payloads]] = {
    "session:start": _lifecycle,
    "session:end": _lifecycle,
    "turn:start": lambda walk: _lifecycle(walk, "write the final-word about old-news"),
    "turn:end": lambda walk: _lifecycle(walk, "The last fine-word."),
    "tool:before": _before,
    "tool:after": _after,
    "chat:params": _parameters,
    "chat:message": _messages,
    "shell:env": _environment,
    "input:submit": lambda _: [{"type": "input", "text": PROMPT}],
    "context:build": _context,
    "compact:before": _compact("", ""),
    "compact:build": _compact("Condensed: a raw-word."),
}
ORDER = [
    *("input:submit", "session:start", "turn:start"),
    *("context:build", "chat:params", "chat:message", "tool:before", "shell:env", "tool:after"),
    "compact:before",
    *("context:build", "chat:params", "chat:message", "tool:before", "shell:env", "tool:after"),
    *("compact:before", "compact:build"),
    *("context:build", "chat:params", "chat:message", "turn:end", "session:end"),
]


def _sent(walk: Walk) -> list[dict[str, Any]]:
    """The bodies of the session's own requests; the one of the summary is the third."""
    return walk.bodies[1:-1] if walk.mode == "delegate" else walk.bodies


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"])


def _nothing_changed(point: str) -> Callable[[Walk], None]:
    def check(walk: Walk) -> None:
        assert walk.logged("hook", by=BY, point=point) == []

    return check


def _arguments_changed(walk: Walk) -> None:
    lines = [entry["arguments"]["command"] for entry in walk.logged("intent", rewritten_by=BY)]
    assert lines == ["env; echo rewritten", "echo two; echo rewritten"]
    assert len(walk.logged("hook", by=BY, point="pre-tool", decision="rewrite")) == 2
    assert [text.splitlines()[-1] for _, text in _calls(walk)] == ["rewritten", "rewritten"]


def _result_changed(walk: Walk) -> None:
    _, second, *_ = _sent(walk)
    [result] = second["messages"][-1]["content"]
    assert [block["text"] for block in result["content"]][-1] == "[seen]"
    assert len(walk.logged("hook", by=BY, point="post-tool", decision="rewrite")) == 2


def _parameters_changed(walk: Walk) -> None:
    assert [body.get("temperature") for body in _sent(walk)] == [0.25] * 4
    [amended] = [entry for entry in walk.logged("amendment", by=BY) if "parameters" in entry]
    assert amended["parameters"] == {"temperature": 0.25}


def _answer_changed(walk: Walk) -> None:
    """Plain talk shows an answer while it comes: by then the model's own words were shown."""
    _, second, *_ = _sent(walk)
    assert "A fine-word first." in _text(second)
    assert "raw-word" not in _text(second)
    said = [e["content"][0].get("text") for e in walk.logged("response")]
    assert said[0] == "A raw-word first.", "what the model said stays in the log"
    last = walk.told.text.splitlines()[-1 if walk.mode == "plain" else 0]
    assert last == ("The last raw-word." if walk.mode == "plain" else "The last fine-word.")


def _environment_changed(walk: Walk) -> None:
    (_, first), _ = _calls(walk)
    assert "WITNESS_MARK=set" in first.splitlines(), "said by the child itself"
    names = [entry["environment"]["names"] for entry in walk.logged("intent")]
    assert all("WITNESS_MARK" in each for each in names)
    assert len(walk.logged("hook", by=BY, point="shell-environment", decision="rewrite")) == 2


def _input_changed(walk: Walk) -> None:
    assert all("draft-word" not in _text(body) for body in _sent(walk))
    assert "final-word" in _text(_sent(walk)[0])
    [said] = walk.logged("input")
    assert said["content"][0]["text"] == PROMPT, "the person's own words stay in the log"


def _context_changed(walk: Walk) -> None:
    assert all("old-news" not in _text(body) for body in _sent(walk))
    assert all("about [left out]" in _text(body) for body in _sent(walk))


def _compaction_vetoed_once(walk: Walk) -> None:
    [veto] = walk.logged("hook", by=BY, point="before-rewrite")
    assert (veto["decision"], veto["reason"]) == ("deny", "not yet")
    _, second, third, _ = _sent(walk)
    assert "Condense this conversation." not in _text(second)
    assert "Condense this conversation." in _text(third)


def _summary_changed(walk: Walk) -> None:
    *_, last = _sent(walk)
    first, _ = last["messages"][0]["content"]
    assert first["text"] == f"{HEADING}Condensed: a fine-word."
    [condensed] = walk.logged("compaction")
    assert condensed["summary"] == "Condensed: a raw-word."


EFFECTS: dict[str, Callable[[Walk], None]] = {
    "session:start": _nothing_changed("session-start"),
    "session:end": _nothing_changed("session-end"),
    "turn:start": _nothing_changed("turn-start"),
    "turn:end": _nothing_changed("turn-end"),
    "tool:before": _arguments_changed,
    "tool:after": _result_changed,
    "chat:params": _parameters_changed,
    "chat:message": _answer_changed,
    "shell:env": _environment_changed,
    "input:submit": _input_changed,
    "context:build": _context_changed,
    "compact:before": _compaction_vetoed_once,
    "compact:build": _summary_changed,
}


@pytest.mark.parametrize(
    "event",
    [
        pytest.param("session:start", marks=requirement("addons.events.session")),
        pytest.param("session:end", marks=requirement("addons.events.session")),
        pytest.param("turn:start", marks=requirement("addons.events.turn")),
        pytest.param("turn:end", marks=requirement("addons.events.turn")),
        pytest.param("tool:before", marks=requirement("addons.events.tool")),
        pytest.param("tool:after", marks=requirement("addons.events.tool")),
        pytest.param("chat:params", marks=requirement("addons.events.chat-params")),
        pytest.param("chat:message", marks=requirement("addons.events.chat-message")),
        pytest.param("shell:env", marks=requirement("addons.events.shell-env")),
        pytest.param("input:submit", marks=requirement("addons.events.input-submit")),
        pytest.param("context:build", marks=requirement("addons.events.context-build")),
        pytest.param("compact:before", marks=requirement("addons.events.compact-before")),
        pytest.param("compact:build", marks=requirement("addons.events.compact-build")),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_the_handler_is_given_the_real_payload_and_its_answer_takes_effect(
    walk: Walking, mode: str, event: str
) -> None:
    done = walk(mode)
    assert done.of(event) == PAYLOADS[event](done)
    EFFECTS[event](done)


@pytest.mark.parametrize("mode", MODES)
def test_events_come_in_the_order_of_the_turn_and_the_session_replays(
    walk: Walking, mode: str
) -> None:
    done = walk(mode)
    assert [event for event, _ in done.heard] == ORDER
    assert done.told.exit == 0
    assert done.replays


@pytest.mark.parametrize("mode", ["print", "plain"])
def test_a_person_is_told_what_was_changed_and_where(walk: Walking, mode: str) -> None:
    told = [line for line in walk(mode).told.aside.splitlines() if BY in line]
    assert [line.partition(f"{BY}: ")[2] for line in told[:4]] == [
        *("rewrite: pre-tool", "rewrite: shell-environment", "rewrite: post-tool"),
        "deny: not yet",
    ]
