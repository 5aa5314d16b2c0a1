"""The line prompt in a real terminal."""

import signal
import stat
import time

from tests.channels.place import Place
from tests.channels.pty_talk import CTRL_C, CTRL_D, PtyTalk
from tests.requirements import requirement

SLEEPS = """
[[answer]]
text = "I wait."
[[answer.call]]
name = "bash"
arguments = { command = "touch runs; sleep 60" }
[[answer]]
text = "Going on."
"""
SLOW = """
[[answer]]
text = "one two three four five six seven eight nine ten eleven twelve"
chunk = 4
delay_ms = 80
[[answer]]
text = "I heard you."
"""


def asks(command: str, *after: str) -> str:
    call = f'[[answer]]\ntext = ""\n[[answer.call]]\nname = "bash"\narguments_json = {command}\n'
    return call + "".join(f'[[answer]]\ntext = "{text}"\n' for text in after)


TOUCH = """'{"command": "touch made.txt"}'"""


@requirement("cli.plain", "cli.exit.0")
def test_it_says_where_it_is_answers_and_leaves_with_ctrl_d(place: Place) -> None:
    model = place.script(
        '[[answer]]\ntext = "Hello there."\nusage = { input = 1200, output = 34 }\n'
    )
    with PtyTalk(place, "--plain", "-m", model) as talk:
        first = talk.wait_for("> ")
        talk.say("hi")
        talk.wait_for("Hello there.")
        talk.wait_for("1 step · 1200 tokens in · 34 out")
        talk.wait_for("> ")
        talk.type(CTRL_D)

        assert talk.ends_with() == 0
    assert "scripted/answers.toml · mode ask" in first
    assert str(place.workspace) in first
    assert place.logs()[0].stem in first
    assert "/help" in first


@requirement("cli.plain")
def test_a_prompt_on_the_command_line_is_submitted_first(place: Place) -> None:
    model = place.script('[[answer]]\nwhen = "what is this"\ntext = "A test."\n')
    with PtyTalk(place, "what is this", "--plain", "-m", model) as talk:
        talk.wait_for("A test.")
        talk.wait_for("> ")
        talk.say("/quit")

        assert talk.ends_with() == 0


def until_it_runs(place: Place) -> None:
    """The command is announced before it is started; what is typed must find it running."""
    deadline = time.monotonic() + 20
    while not (place.workspace / "runs").exists():
        assert time.monotonic() < deadline, "the command did not start"
        time.sleep(0.01)


def test_the_answer_is_shown_while_it_comes(place: Place) -> None:
    with PtyTalk(place, "go", "-m", place.script(SLOW)) as talk:
        talk.wait_for("one two")

        assert "twelve" not in talk.screen
        talk.wait_for("twelve")


def test_a_line_typed_while_it_works_reaches_the_model_in_the_same_turn(place: Place) -> None:
    model = place.script(SLOW.replace('text = "I heard', 'when = "mind the gap"\ntext = "I heard'))
    with PtyTalk(place, "go", "-m", model) as talk:
        talk.wait_for("one two")
        talk.say("mind the gap")
        talk.wait_for("heard: the model reads it with its next step")
        talk.wait_for("I heard you.")
        talk.wait_for("2 steps")
    steered = [entry for entry in place.entries() if entry.get("steer")]
    assert len(steered) == 1


def test_a_line_begun_while_it_works_goes_on_at_the_prompt(place: Place) -> None:
    model = place.script(SLOW.replace('text = "I heard', 'when = "hello world"\ntext = "I heard'))
    with PtyTalk(place, "go", "-m", model) as talk:
        talk.wait_for("one two")
        talk.type("hello ")
        talk.wait_for("1 step")
        talk.wait_for("> ")
        talk.say("world")
        talk.wait_for("I heard you.")


def test_ctrl_c_stops_a_running_command_within_a_second_and_the_turn_can_go_on(
    place: Place,
) -> None:
    with PtyTalk(place, "wait", "--mode", "full", "-m", place.script(SLEEPS)) as talk:
        talk.wait_for("● bash touch runs; sleep 60")
        until_it_runs(place)
        begun = time.monotonic()
        talk.type(CTRL_C)
        talk.wait_for("> ")
        took = time.monotonic() - begun
        talk.say("/continue")
        talk.wait_for("Going on.")
        talk.wait_for("> ")
        talk.type(CTRL_D)

        assert talk.ends_with() == 0
    assert took < 1.0
    assert place.replays()


def test_a_turn_that_was_stopped_can_go_on_in_another_process(place: Place) -> None:
    model = place.script(SLEEPS)
    with PtyTalk(place, "wait", "--mode", "full", "-m", model) as talk:
        talk.wait_for("● bash touch runs; sleep 60")
        until_it_runs(place)
        talk.type(CTRL_C)
        talk.wait_for("> ")
        talk.type(CTRL_D)
        talk.ends_with()
    with PtyTalk(place, "-c", "-m", model) as talk:
        talk.wait_for("(resumed)")
        talk.wait_for("/continue goes on with it")
        talk.wait_for("> ")
        talk.say("/continue")
        talk.wait_for("Going on.")
        talk.wait_for("> ")
        talk.say("/continue")
        talk.wait_for("there is nothing to continue")


def test_ctrl_c_clears_a_line_and_twice_at_an_empty_prompt_leaves(place: Place) -> None:
    with PtyTalk(place, "-m", place.script(SLOW)) as talk:
        talk.wait_for("> ")
        talk.type("half a thought")
        talk.wait_for("half a thought")
        talk.type(CTRL_C)
        talk.wait_for("> ")
        talk.type(CTRL_C)
        talk.wait_for("Ctrl-C again, or Ctrl-D, leaves")
        talk.wait_for("> ")
        talk.type(CTRL_C)

        assert talk.ends_with() == 0
    assert place.logs() == []


def test_yes_lets_the_call_run_once(place: Place) -> None:
    with PtyTalk(place, "go", "-m", place.script(asks(TOUCH, "Done."))) as talk:
        shown = talk.wait_for("allow? [y/s/a/n] ")
        assert not (place.workspace / "made.txt").exists()
        talk.say("y")
        talk.wait_for("Done.")
    assert "│ command: touch made.txt" in shown
    assert "ask mode" in shown
    assert (place.workspace / "made.txt").exists()
    [approval] = [entry for entry in place.entries() if entry["type"] == "approval"]
    assert approval["answer"] == "once"


def test_no_keeps_the_call_from_running_and_tells_the_model_why(place: Place) -> None:
    script = asks(TOUCH) + '[[answer]]\nwhen = "use the other name"\ntext = "I will."\n'
    with PtyTalk(place, "go", "-m", place.script(script)) as talk:
        talk.wait_for("allow? [y/s/a/n] ")
        talk.say("n use the other name")
        talk.wait_for("I will.")
    assert not (place.workspace / "made.txt").exists()


def test_an_unclear_answer_allows_nothing_and_is_asked_again(place: Place) -> None:
    with PtyTalk(place, "go", "-m", place.script(asks(TOUCH, "Done."))) as talk:
        for unclear in ("", "yes please do", "ok", "maybe"):
            talk.wait_for("allow? [y/s/a/n] ")
            talk.say(unclear)
        talk.wait_for("allow? [y/s/a/n] ")
        assert not (place.workspace / "made.txt").exists()
        talk.say("n")
        talk.wait_for("Done.")


def test_an_answer_for_the_session_is_not_asked_again(place: Place) -> None:
    script = asks(TOUCH) + asks(TOUCH, "Twice done.")
    with PtyTalk(place, "go", "-m", place.script(script)) as talk:
        talk.wait_for("allow? [y/s/a/n] ")
        talk.say("s")
        rest = talk.wait_for("Twice done.")
    assert "allow?" not in rest
    assert rest.count("● bash touch made.txt") == 2


def test_what_was_typed_before_a_question_does_not_answer_it(place: Place) -> None:
    script = """
[[answer]]
text = "one two three four five six"
chunk = 2
delay_ms = 60
[[answer.call]]
name = "bash"
arguments = { command = "touch made.txt" }
[[answer]]
text = "Done."
"""
    with PtyTalk(place, "go", "-m", place.script(script)) as talk:
        talk.wait_for("one two")
        talk.type("y")
        talk.wait_for("allow? [y/s/a/n] ")
        assert not (place.workspace / "made.txt").exists()
        talk.say("n")
        talk.wait_for("Done.")
    assert not (place.workspace / "made.txt").exists()


def test_ctrl_c_at_a_question_stops_the_turn_and_runs_nothing(place: Place) -> None:
    with PtyTalk(place, "go", "-m", place.script(asks(TOUCH, "Done."))) as talk:
        talk.wait_for("allow? [y/s/a/n] ")
        talk.type(CTRL_C)
        talk.wait_for("exit 130")
        talk.wait_for("> ")
        talk.type(CTRL_D)
        assert talk.ends_with() == 0
    assert not (place.workspace / "made.txt").exists()
    assert place.replays()


def test_sigterm_ends_it_cleanly_at_the_prompt_and_while_it_works(place: Place) -> None:
    model = place.script(SLEEPS)
    with PtyTalk(place, "-m", model) as talk:
        talk.wait_for("> ")
        talk.signal(signal.SIGTERM)
        assert talk.ends_with() == 130
    with PtyTalk(place, "wait", "--mode", "full", "-m", model) as talk:
        talk.wait_for("● bash touch runs; sleep 60")
        until_it_runs(place)
        talk.signal(signal.SIGTERM)
        assert talk.ends_with() == 130
    assert place.replays()


def test_messages_are_kept_for_the_next_time_in_a_file_for_our_eyes_only(place: Place) -> None:
    model = place.script('[[answer]]\ntext = "Yes."\nrepeat = 3\n')
    with PtyTalk(place, "-m", model) as talk:
        talk.wait_for("> ")
        talk.say("remember the milk")
        talk.wait_for("> ")
        talk.say(" a secret")
        talk.wait_for("> ")
        talk.type(CTRL_D)
        talk.ends_with()
    with PtyTalk(place, "-m", model) as talk:
        talk.wait_for("> ")
        talk.type("\x10")  # Ctrl-P: the one before
        talk.wait_for("remember the milk")
    history = place.home / "history"
    assert "a secret" not in history.read_text()
    assert stat.S_IMODE(history.stat().st_mode) == 0o600


def test_a_paste_of_several_lines_is_one_message(place: Place) -> None:
    model = place.script('[[answer]]\nwhen = "one\\ntwo"\ntext = "Both."\n')
    with PtyTalk(place, "-m", model) as talk:
        talk.wait_for("> ")
        talk.type("\x1b[200~one\ntwo\x1b[201~\r")
        talk.wait_for("Both.")
        assert "\x1b[?2004h" in talk.raw  # the terminal was asked to mark pastes


def test_colour_is_used_on_a_terminal_unless_no_color_says_otherwise(place: Place) -> None:
    model = place.script('[[answer]]\nthinking = "Hm."\ntext = "Yes."\n')
    with PtyTalk(place, "go", "-m", model, NO_COLOR="") as talk:
        talk.wait_for("1 step")
        coloured = talk.raw
    with PtyTalk(place, "go", "-m", model) as talk:
        talk.wait_for("1 step")
        plain = talk.raw
    assert "\x1b[2mHm.\x1b[0m" in coloured
    assert "\x1b[2m" not in plain


def test_with_its_output_in_a_file_only_the_answers_are_there(place: Place) -> None:
    model = place.script('[[answer]]\ntext = "Hello there."\n')
    with PtyTalk(place, "-m", model, stdout=place.workspace / "out.txt") as talk:
        talk.wait_for("> ")
        talk.say("hi")
        talk.wait_for("1 step")
        talk.type(CTRL_D)
        assert talk.ends_with() == 0
    assert (place.workspace / "out.txt").read_text() == "Hello there.\n"
