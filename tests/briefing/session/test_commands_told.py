"""What a person is told about commands kept in files: what is wrong with one, and what is dated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.home import Home, answer
from tests.requirements import requirement


def command(home: Home, name: str, text: bytes, folder: str = ".indus/commands") -> Path:
    file = home.root / folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text)
    return file


@requirement("briefing.macro.one-bad-file")
def test_a_bad_file_is_a_fault_that_names_it_and_the_others_work(home: Home) -> None:
    bad = command(home, "bad.md", b"\0binary")
    command(home, "good.md", b"Do {{arg.1}}.")
    ran = home.run("-p", "/good it", "-m", home.script(answer("Done.")))
    assert (ran.code, ran.out) == (0, "Done.\n")
    (fault,) = ran.complaints
    assert fault.startswith(f"indus: {bad}: not used: ")
    assert home.entries("input")[0]["content"][0]["text"] == "Do it."


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        pytest.param(".indus/commands", True, id="ours"),
        pytest.param(".claude/commands", False, id="shared"),
    ],
)
def test_an_older_form_works_and_how_to_write_it_now_is_told_for_our_own_files(
    home: Home, folder: str, *, told: bool
) -> None:
    file = command(home, "ship.md", b"Ship $1 to ${@:2:1}, all of $1.", folder)
    ran = home.run("-p", "/ship it there", "-m", home.script(answer("Done.")))
    assert home.entries("input")[0]["content"][0]["text"] == "Ship it to there, all of it."
    sentence = "write {{arg.1}} for $1, write {{arg.slice 2 1}} for ${@:2:1}"
    assert (sentence in ran.err) == told
    assert (str(file) in ran.err) == told


def test_a_mistyped_name_is_helped_with_commands_of_files_too(home: Home) -> None:
    command(home, "review.md", b"Review it.")
    ran = home.run("--plain", "-m", home.script(answer("Done.")), stdin="/revew\n")
    assert "there is no /revew; did you mean /review?" in ran.err
