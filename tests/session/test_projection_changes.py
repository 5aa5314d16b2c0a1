"""Amendments, compaction and changes of the head: what the model is shown from then on."""

from pathlib import Path

import pytest
from msgspec import Raw

from induscode.kernel.content import Text, Thinking
from induscode.session.entries import Amendment, Compaction, Operation
from induscode.session.projection import SUMMARY_HEADING
from tests.requirements import requirement
from tests.session.recording import Recording, call


@pytest.fixture
def it(quick_home: Path) -> Recording:
    recording = Recording(quick_home)
    recording.start()
    return recording


def amend(it: Recording, op: str, target: str, *texts: str, **parameters: bytes) -> Amendment:
    operations = [Operation(op, target, [Text(t) for t in texts])] if op else []
    raw = {name: Raw(value) for name, value in parameters.items()}
    return it.add(Amendment(operations, raw), by="addon:trim")


@pytest.mark.parametrize("sealed", [False, True], ids=["not yet answered", "already answered"])
@pytest.mark.parametrize(
    ("op", "texts", "shown"),
    [
        ("replace", ["new"], ["new", "other"]),
        ("replace", ["new", "er"], ["new", "er", "other"]),
        ("append", ["more"], ["old", "more", "other"]),
        ("omit", [], ["other"]),
    ],
)
@pytest.mark.parametrize("kind", ["input", "notice"])
def test_an_operation_changes_what_a_said_entry_shows(
    it: Recording, op: str, texts: list[str], shown: list[str], kind: str, sealed: bool
):
    target = it.say("old") if kind == "input" else it.note("old")
    it.say("other")
    if sealed:
        it.ask("Yes.")
    revision = it.projection.request().revision
    entry = amend(it, op, target.id, *texts)
    assert it.texts()[0] == ("user", shown)
    assert (it.projection.request().revision > revision) is sealed
    by = {part.by for part in it.projection.request().messages()[0].parts if part.entry == entry.id}
    assert by == ({"addon:trim"} if texts else set())


@pytest.mark.parametrize("sealed", [False, True], ids=["not yet answered", "already answered"])
@pytest.mark.parametrize(
    ("op", "texts", "shown"),
    [
        ("replace", ["new"], "result a: new"),
        ("replace", [], "result a: [omitted]"),
        ("append", ["more"], "result a: old more"),
        ("omit", [], "result a: [omitted]"),
    ],
)
def test_a_result_keeps_its_call_and_its_place_whatever_is_done_to_it(
    it: Recording, op: str, texts: list[str], shown: str, sealed: bool
):
    it.say("go")
    answer = it.ask(call("a"), call("b"))
    target = it.result(answer, 0, "old")
    it.result(answer, 1, "second")
    if sealed:
        it.ask("Yes.")
    amend(it, op, target.id, *texts)
    assert it.texts()[2] == ("user", [shown, "result b: second"])


def test_omitting_an_answer_takes_its_thinking_and_nothing_else(it: Recording):
    it.say("go")
    answer = it.ask(Thinking("hm", "c2ln"), "I call.", call("a"))
    it.result(answer, 2, "x")
    amend(it, "omit", answer.id)
    assert it.texts()[1:] == [
        ("assistant", ["I call.", "call a read {}"]),
        ("user", ["result a: x"]),
    ]


def test_replacing_an_answer_changes_its_text_and_keeps_its_calls(it: Recording):
    it.say("go")
    answer = it.ask("One.", Thinking("hm"), "Two.", call("a"))
    it.result(answer, 3, "x")
    amend(it, "replace", answer.id, "Short.")
    assert it.texts()[1] == ("assistant", ["Short.", "thinking hm", "call a read {}"])


def test_a_message_is_never_left_without_a_word(it: Recording):
    only = it.say("secret")
    amend(it, "omit", only.id)
    assert it.texts() == [("user", ["[omitted]"])]
    thought = it.ask(Thinking("hm"))
    amend(it, "omit", thought.id)
    amend(it, "omit", only.id)
    assert it.texts() == [("user", ["[omitted]"]), ("assistant", ["[omitted]"])]


def test_what_was_said_while_the_model_answers_can_be_amended_before_the_answer(it: Recording):
    first = it.say("go")
    request = it.request()
    later = it.say("wait", steer=True)
    amend(it, "append", first.id, "on")
    amend(it, "replace", later.id, "stop")
    it.answer(request, "Going.")
    assert it.texts() == [("user", ["go", "on"]), ("assistant", ["Going."]), ("user", ["stop"])]


def test_what_is_appended_to_nothing_comes_after_all_that_was_said(it: Recording):
    it.say("go")
    answer = it.ask(call("a"), call("b"))
    it.result(answer, 0, "first")
    added = amend(it, "append", "", "more")
    it.result(answer, 1, "second")
    assert it.texts()[2] == ("user", ["result a: first", "result b: second", "more"])
    assert it.projection.request().messages()[2].parts[2].entry == added.id
    request = it.request()
    amend(it, "append", "", "later")
    it.answer(request, "Yes.")
    assert it.texts()[4] == ("user", ["later"])
    amend(it, "replace", added.id, "less")
    assert it.texts()[2] == ("user", ["result a: first", "result b: second", "less"])


def test_an_operation_on_an_entry_that_is_not_there_changes_nothing(it: Recording):
    it.say("go")
    amend(it, "replace", "nowhere", "x")
    assert it.texts() == [("user", ["go"])]


def test_parameters_change_from_an_amendment_until_the_next_choice_of_a_model(it: Recording):
    it.say("go")
    amend(it, "", "", max_output=b"77", thinking=b'"high"', top_k=b"1.0")
    asked = it.projection.request().head.parameters
    assert (asked.max_output, asked.thinking) == (77, "high")
    assert bytes(asked.extra["top_k"]) == b"1.0"
    it.choose("m-2", max_output=5)
    head = it.projection.request().head
    assert (head.model, head.parameters.max_output, head.parameters.extra) == ("m-2", 5, {})


def test_null_takes_a_field_of_the_providers_own_away_and_each_has_its_amendment(it: Recording):
    it.say("go")
    first = amend(it, "", "", top_k=b"1", top_p=b"0.5")
    second = amend(it, "", "", top_k=b"null")
    assert it.projection.request().head.parameters.extra.keys() == {"top_p"}
    assert {name: e.id for name, e in it.projection.tuned.items()} == {
        "top_k": second.id, "top_p": first.id,
    }  # fmt: skip
    it.choose("m-2")
    assert it.projection.tuned == {}


def test_a_parameter_of_the_wrong_type_is_a_problem_and_not_a_crash(it: Recording):
    it.say("go")
    amend(it, "", "", max_output=b'"many"')
    assert it.projection.request().head.parameters.max_output == 1000
    assert "cannot be used" in it.projection.problems[0]


def test_the_head_is_replaced_as_a_whole_and_only_when_it_changes(it: Recording):
    it.brief(role="You are terse.")
    it.offer("read", "bash")
    it.say("go")
    head = it.projection.request().head
    assert [(s.name, s.text, s.by) for s in head.system] == [
        ("role", "You are terse.", "builtin:role")
    ]
    assert [(t.name, t.by) for t in head.tools] == [
        ("read", "builtin:tools"),
        ("bash", "builtin:tools"),
    ]
    it.ask("Yes.")
    assert it.projection.request().head is head
    it.offer("read")
    assert it.projection.request().head is not head


def compact(it: Recording, summary: str, *pinned: str) -> Compaction:
    it.note("Summarise.", only="compaction")
    asked = it.request(purpose="compaction")
    it.answer(asked, summary)
    return it.add(Compaction(it.log.entries[2].id, asked.parent, summary, list(pinned), asked.id))


@requirement("turn.compaction-range")
def test_a_compaction_puts_its_summary_in_the_place_of_everything_before_it(it: Recording):
    it.say("go")
    it.result(it.ask(call("a")), 0, "x")
    it.ask("Done.")
    entry = compact(it, "They went.")
    assert it.texts() == [("user", [SUMMARY_HEADING + "They went."])]
    assert entry.first == it.log.entries[2].id
    it.say("on")
    it.ask(call("a"))
    assert it.texts()[1:] == [
        ("assistant", ["call a read {}"]),
        ("user", ["error a: No result of this call was recorded."]),
    ], "ids on the wire begin anew"


@requirement("turn.compaction-pins")
def test_pinned_facts_survive_three_compactions_word_for_word(it: Recording):
    rule = it.note("Never push.", pinned=True)
    current = it.say("the current request")
    loose = it.note("a passing remark")
    for number in range(3):
        it.ask(f"Answer {number}.")
        compact(it, f"Summary {number}.", rule.id, current.id)
        assert it.texts() == [
            ("user", [SUMMARY_HEADING + f"Summary {number}.", "Never push.", "the current request"])
        ]
    parts = it.projection.request().messages()[0].parts
    assert [part.entry for part in parts[1:]] == [rule.id, current.id]
    assert loose.id not in {part.entry for part in parts}


@requirement("turn.compaction-pins")
def test_what_is_said_while_the_summary_is_made_stays(it: Recording):
    it.say("go")
    it.ask("Done.")
    it.note("Summarise.", only="compaction")
    asked = it.request(purpose="compaction")
    it.say("wait, also this", steer=True)
    retry = it.retry(asked)
    it.answer(retry, "A summary.")
    it.add(Compaction(it.log.entries[2].id, asked.parent, "A summary.", [], asked.id))
    assert it.texts() == [("user", [SUMMARY_HEADING + "A summary.", "wait, also this"])]


def test_an_amended_fact_is_pinned_as_amended(it: Recording):
    rule = it.note("Never push.", pinned=True)
    it.ask("Yes.")
    amend(it, "replace", rule.id, "Never push to main.")
    compact(it, "S.", rule.id)
    assert it.texts() == [("user", [SUMMARY_HEADING + "S.", "Never push to main."])]


def test_a_fact_that_was_amended_twice_is_pinned_as_it_was_last(it: Recording):
    rule = it.note("Never push.", pinned=True)
    first = amend(it, "replace", rule.id, "Never push to main.")
    it.ask("Yes.")
    amend(it, "replace", first.id, "Never push at all.")
    compact(it, "S.", rule.id)
    assert it.texts() == [("user", [SUMMARY_HEADING + "S.", "Never push at all."])]


def test_a_compaction_whose_summary_was_refused_changes_nothing(it: Recording):
    it.say("go")
    it.ask("Done.")
    before = it.texts()
    it.note("Summarise.", only="compaction")
    it.request(purpose="compaction")
    assert it.texts() == before
