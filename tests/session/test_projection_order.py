"""What the model is shown, and in which order, whatever order things happened in."""

import itertools
from pathlib import Path

import pytest
from msgspec import Raw

from induscode.errors import LogCorrupt
from induscode.kernel.content import Opaque, Thinking, ToolCall
from induscode.kernel.model import StopReason
from induscode.kernel.request import CallResult
from induscode.session.blobs import BlobStore
from induscode.session.entries import Interrupted
from induscode.session.log import read_only
from induscode.session.projection import Projection
from tests.requirements import requirement
from tests.session.recording import Recording, call, fold


@pytest.fixture
def it(quick_home: Path) -> Recording:
    recording = Recording(quick_home)
    recording.start()
    return recording


@requirement("log.pitfall.11-results-in-call-order")
def test_results_stand_in_the_order_of_the_calls_however_they_finished(quick_home: Path):
    shown = []
    for number, order in enumerate(itertools.permutations(range(3))):
        it = Recording(quick_home, f"s{number}")
        it.start()
        it.say("go")
        answer = it.ask(call("a"), call("b"), call("c"))
        for position in order:
            it.result(answer, position, f"of {position}")
        shown.append(it.texts()[-1])
    assert set(map(str, shown)) == {
        str(("user", ["result a: of 0", "result b: of 1", "result c: of 2"]))
    }


@requirement("turn.ordering-rule")
def test_what_is_said_between_an_intent_and_its_result_comes_after_all_results(it: Recording):
    it.say("go")
    answer = it.ask(call("a"), call("b"))
    it.intend(answer, 0)
    it.note("a file changed")
    it.result(answer, 0, "one")
    it.say("hurry", steer=True)
    it.result(answer, 1, "two")
    assert it.texts()[-1] == (
        "user",
        ["result a: one", "result b: two", "a file changed", "hurry"],
    )


def test_what_is_said_while_the_model_answers_comes_after_its_answer(it: Recording):
    it.say("go")
    request = it.request()
    it.say("wait", steer=True)
    it.note("news")
    it.answer(request, "Going.")
    assert it.texts() == [
        ("user", ["go"]),
        ("assistant", ["Going."]),
        ("user", ["wait", "news"]),
    ]


@requirement("log.pitfall.12-retries-are-requests")
def test_what_is_said_between_an_attempt_and_its_retry_comes_after_the_answer(it: Recording):
    it.say("go")
    request = it.request()
    it.answer(request, "Goi", stop=StopReason.PARTIAL)
    it.say("wait", steer=True)
    retry = it.retry(request)
    assert (retry.body_sha256, retry.attempt) == (request.body_sha256, 2)
    it.answer(retry, "Going.")
    assert it.texts() == [("user", ["go"]), ("assistant", ["Going."]), ("user", ["wait"])]


@requirement("log.pitfall.12-retries-are-requests")
def test_a_partial_answer_is_kept_and_never_shown(it: Recording):
    it.say("go")
    it.ask("I was just ab", call("x"), stop=StopReason.PARTIAL)
    assert it.texts() == [("user", ["go"])]
    assert it.projection.open_calls == []
    it.ask("Done.")
    assert it.texts() == [("user", ["go"]), ("assistant", ["Done."])]


@requirement("log.pitfall.10-repeated-tool-ids")
def test_calls_with_one_id_get_ids_of_their_own_and_each_its_own_result(it: Recording):
    it.say("go")
    answer = it.ask(call("same", "read"), call("same", "bash"))
    it.result(answer, 1, "of bash")
    it.result(answer, 0, "of read")
    again = it.ask(call("same", "ls"))
    it.result(again, 0, "of ls")
    assert it.texts()[1:] == [
        ("assistant", ["call same read {}", "call same-2 bash {}"]),
        ("user", ["result same: of read", "result same-2: of bash"]),
        ("assistant", ["call same-3 ls {}"]),
        ("user", ["result same-3: of ls"]),
    ]


@requirement("log.pitfall.10-repeated-tool-ids")
@pytest.mark.parametrize("bad", ["", "with space", "x" * 65, "naïve", "call\n", "a/b:c"])
def test_an_id_that_a_provider_would_refuse_is_replaced_the_same_way_every_time(
    it: Recording, bad: str
):
    it.say("go")
    answer = it.ask(call(bad), call(bad))
    parts = it.projection.request().messages()[1].parts
    names = [part.call for part in parts]
    assert all(name.isascii() and 0 < len(name) <= 64 and name.strip() == name for name in names)
    assert len(set(names)) == 2
    it.result(answer, 1, "second")
    results = [p.block for p in it.projection.request().messages()[2].parts]
    assert [r.call for r in results if isinstance(r, CallResult)] == names
    called = parts[0].block
    assert isinstance(called, ToolCall)
    assert called.id == bad, "the log keeps what the provider said"


def test_an_id_that_looks_like_a_numbered_one_does_not_collide(it: Recording):
    it.say("go")
    it.ask(call("a-2"), call("a"), call("a"), call("a" * 60), call("a" * 60), call("a-2"))
    names = [part.call for part in it.projection.request().messages()[1].parts]
    assert len(set(names)) == 6


@requirement("log.pitfall.14-resume-outcomes")
def test_interrupted_calls_are_told_as_errors_before_the_next_input(it: Recording):
    it.say("go")
    answer = it.ask(call("a", "bash"), call("b", "read"))
    it.intend(answer, 0, effects=True)
    it.say("what happened?")
    it.add(Interrupted(f"{answer.id}/1", "read", started=False, text="Never started."))
    it.add(Interrupted(f"{answer.id}/0", "bash", started=True, text="Outcome unknown."))
    assert it.texts()[-1] == (
        "user",
        ["error a: Outcome unknown.", "error b: Never started.", "what happened?"],
    )


@pytest.mark.parametrize("outcome", ["error", "denied", "refused", "invalid"])
def test_every_outcome_but_ok_is_an_error_to_the_model(it: Recording, outcome: str):
    it.say("go")
    it.result(it.ask(call("a")), 0, "no", outcome=outcome)
    assert it.texts()[-1] == ("user", ["error a: no"])


@requirement("log.pitfall.08-broken-tool-json")
def test_a_call_with_broken_arguments_is_kept_raw_and_answered(it: Recording):
    it.say("go")
    answer = it.ask(call("a", broken='{"path": "x'))
    it.result(answer, 0, "not valid JSON", outcome="invalid")
    parts = it.projection.request().messages()[1].parts
    assert isinstance(parts[0].block, ToolCall)
    assert parts[0].block.broken == '{"path": "x'
    assert it.texts()[1:] == [
        ("assistant", ["call a read {}"]),
        ("user", ["error a: not valid JSON"]),
    ]


@requirement("log.pitfall.06-keep-json-bytes")
def test_arguments_and_unknown_blocks_keep_their_bytes_through_the_log(it: Recording):
    spelled = b'{"b":1.0,"a":1e2,"u":"\\u00e9","n":10000000000000000000000}'
    it.say("go")
    it.ask(call("a", arguments=spelled), Opaque("neutral", Raw(b'{"z":1.50}')), Thinking("h", "=="))
    found = fold(read_only(it.path).entries, it.blobs)
    blocks = [part.block for part in found.request().messages()[1].parts]
    assert bytes(blocks[0].arguments) == spelled
    assert bytes(blocks[1].raw) == b'{"z":1.50}'
    assert blocks[2] == Thinking("h", "==")


def test_an_answer_that_paused_is_continued_without_a_word_from_the_user(it: Recording):
    it.say("search")
    it.ask("Looking", stop=StopReason.PAUSE)
    assert it.projection.request().tail is None
    it.ask("Found it.")
    assert it.texts() == [
        ("user", ["search"]),
        ("assistant", ["Looking"]),
        ("assistant", ["Found it."]),
    ]


def test_a_request_before_any_model_is_chosen_is_a_broken_log(tmp_path: Path):
    with pytest.raises(LogCorrupt, match="no model"):
        Projection(BlobStore(tmp_path)).request()


def test_a_notice_for_one_purpose_is_seen_by_requests_of_that_purpose_only(it: Recording):
    it.say("go")
    it.note("Summarise.", only="compaction")
    assert it.texts() == [("user", ["go"])]
    assert it.texts("compaction") == [("user", ["go", "Summarise."])]
    it.answer(it.request(purpose="compaction"), "A summary.")
    assert it.texts() == [("user", ["go"])]


@requirement("turn.flat-cost")
def test_one_more_step_costs_the_same_however_long_the_session_is(it: Recording):
    """Counted, not timed: a step adds a fixed number of messages and touches no earlier one."""
    it.say("go")
    for _ in range(50):
        it.result(it.ask(call("a")), 0, "x")
    request = it.projection.request()
    before, revision = list(request.sealed), request.revision
    it.result(it.ask(call("a")), 0, "x")
    after = it.projection.request()
    assert after.revision == revision
    assert len(after.sealed) == len(before) + 2
    assert all(old is new for old, new in zip(before, after.sealed, strict=False))
    assert len(it.log.entries[-3].trail) <= 4
