"""A request stays valid for its provider when parts of the log or its blobs are gone."""

from pathlib import Path

import pytest

from induscode.kernel.content import Image, Text, Thinking
from induscode.session.entries import Amendment, Foreign, Operation, Toolset
from induscode.session.projection import Projection
from induscode.session.stored import TextRef
from tests.requirements import requirement
from tests.session.recording import Recording, call, fold, texts


@pytest.fixture
def it(quick_home: Path) -> Recording:
    recording = Recording(quick_home)
    recording.start()
    return recording


def without(it: Recording, *lost: object) -> Projection:
    return fold([entry for entry in it.log.entries if entry not in lost], it.blobs)


@requirement("log.pitfall.02-damaged-middle-bridged")
def test_a_call_whose_result_was_lost_is_closed_with_an_error(it: Recording):
    it.say("go")
    answer = it.ask(call("a"), call("b"))
    lost = it.result(answer, 0, "one")
    it.result(answer, 1, "two")
    it.ask("Done.")
    assert texts(without(it, lost).request())[2] == (
        "user",
        ["error a: No result of this call was recorded.", "result b: two"],
    )


@requirement("log.pitfall.02-damaged-middle-bridged")
def test_a_result_whose_call_was_lost_is_told_as_plain_text(it: Recording):
    it.say("go")
    lost = it.ask(call("a"))
    it.result(lost, 0, "what it found")
    it.ask("Done.")
    assert texts(without(it, lost).request()) == [
        ("user", ["go", "Result of an earlier call that could not be read:", "what it found"]),
        ("assistant", ["Done."]),
    ]


def test_an_answer_whose_question_was_lost_still_follows_a_user(it: Recording):
    lost = it.say("go")
    it.ask("Done.")
    assert texts(without(it, lost).request()) == [
        ("user", ["[An earlier part of this conversation could not be read.]"]),
        ("assistant", ["Done."]),
    ]


def test_two_answers_in_a_row_are_kept_apart_when_the_input_between_them_was_lost(it: Recording):
    it.say("one")
    it.ask("First.")
    lost = it.say("two")
    it.ask("Second.")
    roles = [role for role, _ in texts(without(it, lost).request())]
    assert roles == ["user", "assistant", "user", "assistant"]


def test_thinking_is_dropped_from_an_answer_whose_result_was_lost(it: Recording):
    it.say("go")
    answer = it.ask(Thinking("hm", "c2ln"), call("a"))
    lost = it.result(answer, 1, "x")
    it.ask("Done.")
    it.add(Amendment([Operation("omit", answer.id)]))
    shown = texts(without(it, lost).request())
    assert shown[1] == ("assistant", ["call a read {}"])
    assert shown[2] == ("user", ["error a: No result of this call was recorded."])


def test_a_second_result_of_one_call_is_told_and_does_not_replace_the_first(it: Recording):
    it.say("go")
    answer = it.ask(call("a"))
    it.result(answer, 0, "first")
    it.result(answer, 0, "second")
    assert it.texts()[-1][1][0] == "result a: first"
    assert it.texts()[-1][1][-1] == "second"


def test_content_that_is_gone_says_so_to_the_model_and_in_the_problems(it: Recording):
    gone = "f" * 64
    it.offer("read")
    it.say("go")
    it.add(it.log.entries[-1].__class__([TextRef(gone, 9)]))
    it.add(Toolset(gone, []))
    request = it.projection.request()
    assert request.head.tools == ()
    assert it.texts()[0][1][1].startswith("[Content is missing: blob ffffffffffff")
    assert len(it.projection.problems) == 2


def test_a_picture_that_is_gone_is_a_text_that_says_so(it: Recording, quick_home: Path):
    it.say(Image("image/png", b"\x89PNG"))
    for file in (quick_home / "blobs").rglob("*"):
        if file.is_file():
            file.unlink()
    again = fold(it.log.entries, it.blobs)
    block = again.request().messages()[0].parts[0].block
    assert isinstance(block, Text)
    assert "missing" in block.text
    assert again.problems


def test_a_tool_set_blob_of_another_shape_is_a_problem_and_not_a_crash(it: Recording):
    it.say("go")
    for blob in (b"[1]", b"{}", b"[" * 100_000, b'[{"name":"\xff"}]'):
        it.add(Toolset(it.blobs.put(blob), []))
        assert it.projection.request().head.tools == ()
    assert len(it.projection.problems) == 4


@requirement("invariant.04.unknown-entry-type")
def test_a_foreign_entry_is_shown_exactly_when_it_says_so(it: Recording):
    it.say("go")
    for visible, text in ((True, "seen"), (False, "unseen")):
        it.projection.add(Foreign(id=text, by="addon:x", type="t", visible=visible, text=text))
    assert it.texts() == [("user", ["go", "seen"])]
