"""A fault is shown by every channel, in the words of its cause, without being asked for."""

import json

from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.requirements import requirement

SCRIPT = '[[answer]]\ntext = "Hello."\n'
TOLD = "colour: not a setting we know; it is ignored"


def faulty(place: Place) -> str:
    """A place with something wrong in it; returns a model that works all the same."""
    (place.home / "config.toml").write_text('colour = "red"\n')
    return place.script(SCRIPT)


@requirement("invariant.09.fault-seen-unasked")
def test_print_mode_tells_a_fault_on_standard_error_beside_the_answer(place: Place) -> None:
    done = place.run("-p", "hi", "-m", faulty(place))
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert TOLD in done.stderr


@requirement("invariant.09.fault-seen-unasked")
def test_json_mode_has_an_event_for_a_fault(place: Place) -> None:
    done = place.run("-p", "hi", "--json", "-m", faulty(place))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (fault,) = [event for event in events if event["type"] == "fault"]
    assert fault["message"].endswith(TOLD)
    assert events[-1]["text"] == "Hello."


@requirement("invariant.09.fault-seen-unasked")
def test_the_line_prompt_tells_a_fault_before_the_first_answer(place: Place) -> None:
    done = place.run("--plain", "-m", faulty(place), stdin="hi\n")
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert TOLD in done.stderr


@requirement("invariant.09.fault-seen-unasked")
def test_a_program_is_notified_of_a_fault(place: Place) -> None:
    with RpcClient(place, "-m", faulty(place)) as client:
        client.result("initialize", client="a test")
        assert client.event("fault")["message"].endswith(TOLD)
        assert client.result("submit", text="hi")["text"] == "Hello."


@requirement("invariant.09.fault-seen-unasked")
def test_damage_to_the_log_is_told_by_whoever_opens_it_next(place: Place) -> None:
    model = place.script(SCRIPT + SCRIPT)
    assert place.run("-p", "one", "-m", model).returncode == 0
    (log,) = place.logs()
    with log.open("ab") as file:
        file.write(b'{"torn')
    done = place.run("-c", "-p", "two", "-m", model)
    assert (done.returncode, done.stdout) == (0, "Hello.\n")
    assert "the log ended in the middle of an entry" in done.stderr
