"""`indus addon` given what it cannot use: one line that names the file, the field and the remedy,
and nothing of what there was is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.addons.session.house import SAFETY, House

ASKS = '[[capability]]\nname = "everything"\nreason = "x"\n'
TOOL = '[[tool]]\nname = "count"\ndescription = "Counts."\n'


def _manifest(text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "manifest.toml").write_text(text)
        return folder

    return write


def _package(entry: object, file: str = "package.json") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        text = entry if isinstance(entry, str) else json.dumps(entry)
        (folder / file).write_text(text)
        return folder

    return write


BAD: dict[str, tuple[Callable[[Path], Path], tuple[str, ...]]] = {
    "nothing": (lambda folder: folder / "gone", ("gone: ", "nothing at this path")),
    "an empty folder": (lambda folder: folder, ("no addon in this folder", "manifest.toml")),
    "a text": (_package("hello", "notes.txt"), ("no addon in this folder", "manifest.toml")),
    "an unknown key": (_manifest(SAFETY + "[gates]\n"), ("manifest.toml: ", "gates")),
    "an unknown event": (
        _manifest(SAFETY.replace("tool:before", "tool:befor")),
        ("manifest.toml: gate[0].event", "tool:before"),
    ),
    "a gate without a reason": (
        _manifest(SAFETY.replace("reason", "why")),
        ("manifest.toml: gate[0]", "reason"),
    ),
    "a command of two words": (
        _manifest(SAFETY.replace('"deploy"', '"de ploy"')),
        ("manifest.toml: command[0].name", "white space"),
    ),
    "a capability that nobody knows": (
        _manifest(SAFETY + ASKS),
        ("manifest.toml: capability[0].name", "everything"),
    ),
    "a tool without a program": (_manifest(SAFETY + TOOL), ("manifest.toml: tool[0]", "command")),
    "a tool twice": (
        _manifest(SAFETY + 2 * f'{TOOL}command = ["wc"]\n'),
        ("manifest.toml: ", "count is there twice"),
    ),
    "no JSON": (_package("{"), ("package.json: ",)),
    "an entry outside": (_package({"indusAddon": "../x.js"}), ("package.json: indusAddon",)),
    "an entry that is not there": (
        _package({"indusAddon": "x.js"}),
        ("package.json: indusAddon: there is no file x.js", "name a file of the package"),
    ),
    "an entry that is a number": (_package({"indusAddon": 5}), ("package.json: indusAddon",)),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_an_addon_is_refused_with_file_field_and_remedy(
    house: House, case: str
) -> None:
    build, said = BAD[case]
    folder = house.root / "src"
    folder.mkdir()
    ran = house.run("addon", "install", str(build(folder)), "--yes")
    assert (ran.code, ran.out) == (1, ""), ran.err
    [complaint] = ran.complaints
    assert str(folder) in complaint
    for words in said:
        assert words in complaint
    assert not (house.indus / "addons.json").exists()


@pytest.fixture
def kept(house: House) -> House:
    """A home with an addon in it."""
    place = house.root / "src/safety"
    place.mkdir(parents=True)
    (place / "manifest.toml").write_text(SAFETY)
    assert house.run("addon", "install", str(place), "--yes").code == 0
    return house


@pytest.mark.parametrize("text", ["{", "[]", '{"installed": {"../x": {}}}', "\0"])
def test_a_record_that_cannot_be_read_is_told_and_left_as_it_is(kept: House, text: str) -> None:
    record = kept.indus / "addons.json"
    record.write_text(text)
    place = str(kept.root / "src/safety")
    for words in (("list",), ("install", place, "--yes"), ("remove", "safety")):
        ran = kept.run("addon", *words)
        assert ran.code == 1
        [complaint] = ran.complaints
        assert str(record) in complaint
        assert "install the addons again" in complaint
        assert record.read_text() == text
    assert list((kept.indus / "addons/safety").rglob("manifest.toml"))


def test_a_session_whose_record_cannot_be_read_says_so_and_keeps_shut_what_was_guarded(
    kept: House,
) -> None:
    call = ("bash", {"command": "touch made.txt"})
    kept.ask(call, words=("--mode", "full"))
    (kept.indus / "addons.json").write_text("{")
    ran = kept.ask(call, words=("--mode", "full"))
    assert ran.code == 0, ran.err
    assert str(kept.indus / "addons.json") in ran.err
    assert not (kept.work / "made.txt").exists()


def test_a_worse_version_leaves_the_one_that_is_installed(kept: House) -> None:
    place = kept.root / "src/safety/manifest.toml"
    place.write_text(SAFETY.replace("tool:before", "nowhere"))
    assert kept.run("addon", "install", str(place), "--yes").code == 1
    kept.ask(("bash", {"command": "true"}), words=("--mode", "full"))
    [result] = kept.of("result")
    assert (result["outcome"], result["by"]) == ("denied", "user:safety")
