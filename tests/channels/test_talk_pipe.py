"""The line prompt without a terminal: lines are prompts, and nobody is asked."""

from tests.channels.place import Place
from tests.requirements import requirement

TWO = '[[answer]]\nwhen = "one"\ntext = "First."\n[[answer]]\nwhen = "two"\ntext = "Second."\n'


@requirement("cli.plain")
def test_each_line_is_a_prompt_and_only_answers_go_to_standard_output(place: Place) -> None:
    done = place.run("-m", place.script(TWO), stdin="one\n\ntwo\n")

    assert done.stdout == "First.\nSecond.\n"
    assert done.returncode == 0
    assert len(place.logs()) == 1


def test_a_backslash_and_a_quoted_block_make_one_message_of_several_lines(place: Place) -> None:
    script = '[[answer]]\nwhen = "a\\nb"\ntext = "1"\n[[answer]]\nwhen = "c\\n\\nd"\ntext = "2"\n'
    done = place.run("-m", place.script(script), stdin='a\\\nb\n"""c\n\nd"""\n')

    assert done.stdout == "1\n2\n"


def test_the_exit_code_is_that_of_the_last_turn(place: Place) -> None:
    done = place.run("-m", place.script(TWO), stdin="one\nnot what it expects\n")

    assert done.stdout == "First.\n"
    assert done.returncode == 1
    assert "indus: the script" in done.stderr


@requirement("mode.nobody-to-ask")
def test_a_question_is_never_answered_by_the_next_line(place: Place) -> None:
    script = """
[[answer]]
[[answer.call]]
name = "bash"
arguments = { command = "touch made.txt" }
[[answer]]
when = "nobody to ask"
text = "Then not."
"""
    done = place.run("-m", place.script(script), stdin="go\n")

    assert done.stdout == "Then not.\n"
    assert done.returncode == 3
    assert "refused" in done.stderr
    assert not (place.workspace / "made.txt").exists()


def test_commands_work_and_an_unknown_one_is_helped(place: Place) -> None:
    done = place.run(
        "-m", place.script(TWO), stdin="one\n/session\n/help\n/sesion\n/compact\n/quit\ntwo\n"
    )

    assert place.logs()[0].stem in done.stderr
    assert "did you mean /session?" in done.stderr
    assert "/continue" in done.stderr
    assert "Second." not in done.stdout


def test_a_leading_space_says_a_slash_to_the_model(place: Place) -> None:
    done = place.run(
        "-m",
        place.script('[[answer]]\nwhen = "/etc/hosts"\ntext = "Ok."\n'),
        stdin=" /etc/hosts?\n",
    )

    assert done.stdout == "Ok.\n"


@requirement("cli.exit.1", "cli.exit.never-silent")
def test_a_session_that_cannot_be_opened_is_one_line_and_the_promised_code(place: Place) -> None:
    unknown = place.run("--plain", "-r", "nosuch", "-m", place.script(TWO), stdin="hi\n")
    no_file = place.run("--plain", "-m", "scripted/missing.toml", stdin="hi\n")

    assert (unknown.returncode, no_file.returncode) == (1, no_file.returncode)
    assert unknown.stderr.count("\n") == 1
    assert "no session 'nosuch'" in unknown.stderr
    assert no_file.returncode != 0
    assert "missing.toml" in no_file.stderr


def test_a_text_that_takes_control_of_terminals_is_shown_as_text(place: Place) -> None:
    script = '[[answer]]\ntext = "a\\u001b[2Jb\\u009bc\\u202ed"\nchunk = 1\n'
    done = place.run("-m", place.script(script), stdin="go\n")

    assert done.stdout == "a␛[2Jb<U+009B>c<U+202E>d\n"
