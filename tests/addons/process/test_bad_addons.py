"""Bad addons, as real programs: each ends in its own fault, and the session goes on."""

from __future__ import annotations

import asyncio
import resource

import pytest
from msgspec import Struct

from induscode.addons.acting import HostCalls
from induscode.addons.contract import HookEvent, ToolPayload
from induscode.addons.crashes import CRASH_SECONDS
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.faults import ProcessFaultKind as Kind
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.sandbox import SandboxPolicy
from tests.addons.process.nursery import BAD, CALL, Nursery, asked
from tests.requirements import requirement
from tests.tools.waiting import until

PATIENT = ProcessLimits(
    frame_bytes=1024 * 1024, memory_bytes=300 * 1024 * 1024, processes=40, close_seconds=0.3
)
HASTY = ProcessLimits(call_seconds=0.3, cancel_seconds=0.3, close_seconds=0.3)
BRIEF = ProcessLimits(handshake_seconds=0.5)


class Row(Struct, frozen=True):
    """`raised` is what whoever asked is told, `told` what is reported because the program had to
    be ended; None when it lives on."""

    name: str
    raised: Kind
    told: Kind | None
    says: str = ""
    limits: ProcessLimits = PATIENT


def ends(name: str, kind: Kind, says: str = "", limits: ProcessLimits = PATIENT) -> Row:
    return Row(name, kind, kind, says, limits)


ROWS = [
    ends("silent", Kind.NO_HANDSHAKE, "within 0.5 s", BRIEF),
    ends("wrong_version", Kind.WRONG_PROTOCOL, "version 2"),
    ends("dies_at_once", Kind.CRASHED, "nothing to do here"),
    ends("dies_at_handshake", Kind.CRASHED, "exit code 3"),
    ends("unknown_event", Kind.BAD_REGISTRATION, "register.events"),
    ends("refuses", Kind.BAD_REGISTRATION, "not today"),
    ends("junk_first", Kind.JUNK, "Welcome!"),
    ends("junk_later", Kind.JUNK, "debug: looking"),
    ends("deep_json", Kind.JUNK),
    ends("half_text", Kind.JUNK, "utf-8"),
    ends("endless_line", Kind.FRAME_TOO_LONG, "over 1048576 bytes"),
    ends("flood", Kind.FLOOD),
    ends("asks_without_reading", Kind.NOT_READING, "messages wait"),
    ends("closes_input", Kind.NOT_READING, "closed its standard input"),
    ends("closes_output", Kind.CRASHED, "closed its standard output"),
    ends("answers_another", Kind.FOREIGN_ID, "never asked"),
    ends("answers_in_words", Kind.FOREIGN_ID, "'2'"),
    Row("hangs", Kind.OUT_OF_TIME, Kind.HUNG, "within 0.3 s", HASTY),
    Row("stops", Kind.OUT_OF_TIME, Kind.HUNG, "within 0.3 s", HASTY),
    Row("loops", Kind.OUT_OF_TIME, Kind.HUNG, "within 0.3 s", HASTY),
    ends("dies_in_call", Kind.CRASHED, "the disk is gone"),
    ends("kills_itself", Kind.CRASHED, "signal 9"),
    ends("leaves_daemons", Kind.CRASHED, "exit code 0"),
    Row("forks", Kind.OUT_OF_TIME, Kind.HUNG, limits=HASTY),
    ends("memory", Kind.CRASHED, "MemoryError"),
    Row("says_nothing", Kind.BAD_ANSWER, None),
    Row("says_no_bool", Kind.BAD_ANSWER, None, "stop"),
    Row("fails", Kind.FAILED, None, "no idea"),
    Row("late", Kind.OUT_OF_TIME, None, "within 0.3 s", HASTY),
]


@requirement("addons.tier1.handler-fault")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_a_bad_addon_ends_in_its_own_fault_and_its_gate_denies(
    row: Row, nursery: Nursery
) -> None:
    good = await nursery.addon(BAD / "screams.py")
    bad = await nursery.addon(BAD / f"{row.name}.py", limits=row.limits)
    await good.start()

    outcome, faults = await asked(bad)

    assert outcome.gate is not None
    assert (outcome.gate.stop, outcome.gate.how) == (True, "failed")
    assert [fault.addon for fault in faults] == ["the-addon"]
    raised = faults[0].cause
    assert isinstance(raised, ProcessFault)
    assert raised.kind is row.raised
    assert row.says in str(raised)
    if row.told is not None:
        await until(lambda: bool(nursery.told))
    assert nursery.kinds == ([] if row.told is None else [row.told])
    assert (await asked(good))[0].gate is None


async def test_a_program_whose_interpreter_is_missing_is_not_started(nursery: Nursery) -> None:
    path = nursery.write("strange", "#!/nowhere/at-all\n")
    path.chmod(0o755)
    addon = await nursery.addon(path)
    with pytest.raises(ProcessFault, match="No such file") as raised:
        await addon.start()
    assert raised.value.kind is Kind.NOT_STARTED
    assert nursery.kinds == [Kind.NOT_STARTED]


async def test_a_second_answer_ends_the_addon_after_the_first_was_taken(nursery: Nursery) -> None:
    addon = await nursery.addon(BAD / "answers_twice.py")
    assert (await asked(addon))[0].gate is None
    await until(lambda: bool(nursery.told))
    assert nursery.kinds == [Kind.DUPLICATE_ID]


async def test_one_id_for_two_calls_at_a_time_ends_the_addon(nursery: Nursery) -> None:
    async def slow(text: str) -> None:
        await asyncio.Event().wait()

    addon = await nursery.addon(BAD / "asks_twice.py", calls=HostCalls(notify=slow))
    outcome, _ = await asked(addon)
    assert outcome.gate is not None
    assert nursery.kinds == [Kind.DUPLICATE_ID]


async def test_what_an_addon_does_not_read_is_kept_up_to_a_limit_and_never_waited_for(
    nursery: Nursery,
) -> None:
    limits = ProcessLimits(queue_bytes=400_000, call_seconds=20)
    addon = await nursery.addon(BAD / "unread.py", limits=limits)
    await addon.start()
    long = ToolPayload("write", {"content": "x" * 100_000})
    waiting = [asyncio.ensure_future(asked(addon, long)) for _ in range(5)]
    async with asyncio.timeout(10):
        outcomes = await asyncio.gather(*waiting)
    assert all(outcome.gate is not None for outcome, _ in outcomes)
    assert nursery.kinds == [Kind.NOT_READING]


async def test_a_line_of_a_gigabyte_is_never_kept(nursery: Nursery) -> None:
    addon = await nursery.addon(BAD / "endless_line.py")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    await asked(addon)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert nursery.kinds == [Kind.FRAME_TOO_LONG]
    assert grown < 100 * 1024  # KB, with a limit of 16 MB for a line


async def test_an_answer_after_the_deadline_is_dropped_and_the_addon_goes_on(
    nursery: Nursery,
) -> None:
    addon = await nursery.addon(BAD / "late.py", limits=HASTY)
    assert (await asked(addon))[0].gate is not None
    decision = await addon.gate(0, HookEvent.TOOL_BEFORE, CALL)
    assert (decision.stop, decision.reason) == (False, "in time")
    assert nursery.told == []


async def test_what_was_not_granted_is_refused_by_name_and_recorded(nursery: Nursery) -> None:
    addon = await nursery.addon(BAD / "not_granted.py")
    for _ in range(2):
        decision = await addon.gate(0, HookEvent.TOOL_BEFORE, CALL)
        assert decision.reason == "not-granted"
    assert nursery.kinds == [Kind.NOT_GRANTED]
    assert "exec" in nursery.told[0].message


async def test_an_addon_that_registers_something_else_when_started_again_is_disabled(
    nursery: Nursery,
) -> None:
    first = nursery.write("first", "")
    policy = SandboxPolicy.confined_to(nursery.folder)
    addon = await nursery.addon(BAD / "changes.py", str(first), policy=policy)
    await addon.start()
    await asked(addon)
    for _ in range(2):
        _, faults = await asked(addon)
        assert isinstance(faults[0].cause, ProcessFault)
        assert faults[0].cause.kind is Kind.CHANGED_REGISTRATION
    assert nursery.kinds == [Kind.CRASHED, Kind.CHANGED_REGISTRATION]


async def test_an_addon_that_does_not_want_to_end_is_ended(nursery: Nursery) -> None:
    addon = await nursery.addon(BAD / "deaf.py", limits=HASTY)
    await addon.start()
    assert list(nursery.left())
    await addon.close()
    assert not list(nursery.left())
    with pytest.raises(ProcessFault) as raised:
        await addon.gate(0, HookEvent.TOOL_BEFORE, CALL)
    assert raised.value.kind is Kind.CLOSED


async def test_the_fourth_crash_within_five_minutes_disables_an_addon_and_says_so(
    nursery: Nursery,
) -> None:
    addon = await nursery.addon(BAD / "dies_in_call.py")
    for _ in range(4):
        await asked(addon)
    assert nursery.kinds == [Kind.CRASHED] * 4 + [Kind.DISABLED]
    assert "exit code 7" in str(nursery.told[-1])
    outcome, faults = await asked(addon)
    assert outcome.gate is not None
    assert "disabled" in outcome.gate.reason
    assert not list(nursery.left())
    assert len(nursery.told) == 5
    assert isinstance(faults[0].cause, ProcessFault)


async def test_crashes_that_are_five_minutes_old_do_not_count(nursery: Nursery) -> None:
    addon = await nursery.addon(BAD / "dies_in_call.py")
    for _ in range(6):
        await asked(addon)
        nursery.now += CRASH_SECONDS / 2
    assert nursery.kinds == [Kind.CRASHED] * 6
