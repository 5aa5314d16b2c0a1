"""The macros of all folders together: the first of a name counts, a bad file costs only itself."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from induscode.briefing import macro_files
from induscode.briefing.contract import MacroOrigin
from induscode.briefing.files import Child, DiskFiles, Refused
from induscode.briefing.macro_files import (
    MACRO_BYTES,
    MACRO_DEPTH,
    MacroLoad,
    MacroRoot,
    discover_macros,
)


def write(file: Path, text: str = "x") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def nested(folder: Path) -> MacroLoad:
    return discover_macros([MacroRoot(folder, MacroOrigin.PROJECT, nested=True)], DiskFiles())


def names(load: MacroLoad) -> list[str]:
    return [macro.name for macro in load.macros]


def test_the_first_root_that_has_a_name_keeps_it_and_the_other_is_told(tmp_path: Path) -> None:
    first = write(tmp_path / "project" / "review.md", "project's")
    later = write(tmp_path / "user" / "review.MD", "user's")
    write(tmp_path / "user" / "other.md", "---\ndescription: Other\n---\nother")
    load = discover_macros(
        [
            MacroRoot(tmp_path / "project", MacroOrigin.PROJECT),
            MacroRoot(tmp_path / "none", MacroOrigin.PROJECT),
            MacroRoot(tmp_path / "user", MacroOrigin.USER),
        ],
        DiskFiles(),
    )
    assert [(macro.name, macro.body, macro.origin) for macro in load.macros] == [
        ("review", "project's", MacroOrigin.PROJECT),
        ("other", "other", MacroOrigin.USER),
    ]
    assert load.macros[1].description == "Other (user)"
    (fault,) = load.faults
    assert fault == f"{later}: not used: {first} is /review already; rename one of them"


def test_the_same_file_found_twice_is_one_macro_and_no_fault(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.md")
    (tmp_path / "two").symlink_to(tmp_path / "one")
    (tmp_path / "three").mkdir()
    (tmp_path / "three" / "a.md").symlink_to(tmp_path / "one" / "a.md")
    roots = [MacroRoot(tmp_path / name, MacroOrigin.USER) for name in ("one", "two", "three")]
    load = discover_macros(roots, DiskFiles())
    assert (names(load), load.faults) == (["a"], ())


def test_one_bad_file_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "fine")
    (tmp_path / "b.md").write_bytes(b"\0")
    with (tmp_path / "c.md").open("wb") as file:
        file.truncate(MACRO_BYTES * 1_000)
    write(tmp_path / "d.md", "fine too")
    load = discover_macros([MacroRoot(tmp_path, MacroOrigin.USER)], DiskFiles())
    assert names(load) == ["a", "d"]
    assert [fault.split(": ")[0] for fault in load.faults] == [
        str(tmp_path / "b.md"),
        str(tmp_path / "c.md"),
    ]


def test_a_bad_file_does_not_take_its_name_from_a_later_one(tmp_path: Path) -> None:
    write(tmp_path / "one" / "a.md", "")
    write(tmp_path / "two" / "a.md", "fine")
    roots = [MacroRoot(tmp_path / name, MacroOrigin.USER) for name in ("one", "two")]
    load = discover_macros(roots, DiskFiles())
    assert [macro.body for macro in load.macros] == ["fine"]


def test_a_root_that_is_not_nested_has_no_folders(tmp_path: Path) -> None:
    write(tmp_path / "sub" / "a.md")
    assert names(discover_macros([MacroRoot(tmp_path, MacroOrigin.USER)], DiskFiles())) == []
    assert names(nested(tmp_path)) == ["a"]


def test_in_a_nested_root_the_name_is_the_files_own_and_what_is_less_deep_wins(
    tmp_path: Path,
) -> None:
    write(tmp_path / "a" / "b" / "deploy.md", "deep")
    write(tmp_path / "m" / "deploy.md", "less deep")
    write(tmp_path / "z" / "b" / "deploy.md", "deep")
    write(tmp_path / "z" / "other.md", "other")
    load = nested(tmp_path)
    assert [(macro.name, macro.body) for macro in load.macros] == [
        ("deploy", "less deep"),
        ("other", "other"),
    ]
    assert len(load.faults) == 2


def test_hidden_folders_and_those_of_packages_are_not_looked_into(tmp_path: Path) -> None:
    for folder in (".git", ".x", "node_modules", "mine"):
        write(tmp_path / folder / f"{folder.strip('.')}.md")
    assert names(nested(tmp_path)) == ["mine"]


def test_links_that_lead_in_a_circle_end_the_walk_and_links_to_elsewhere_are_followed(
    tmp_path: Path,
) -> None:
    root = tmp_path / "commands"
    write(root / "sub" / "a.md")
    write(tmp_path / "elsewhere" / "b.md")
    write(tmp_path / "loose.md")
    (root / "sub" / "up").symlink_to(root)
    (root / "sub" / "self").symlink_to(root / "sub" / "self")
    (root / "sub" / "away").symlink_to(tmp_path / "elsewhere")
    (root / "c.md").symlink_to(tmp_path / "loose.md")
    (root / "nowhere.md").symlink_to(tmp_path / "nowhere.md")
    load = nested(root)
    assert (sorted(names(load)), load.faults) == (["a", "b", "c"], ())


def test_folders_that_are_too_deep_are_told(tmp_path: Path) -> None:
    deepest = tmp_path.joinpath(*(str(level) for level in range(MACRO_DEPTH)))
    write(deepest / "a.md")
    write(deepest / "more" / "b.md")
    load = nested(tmp_path)
    assert names(load) == ["a"]
    assert load.faults == (f"{deepest}: folders in it are not used: they are too deep",)


def test_more_files_or_folders_than_there_may_be_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(macro_files, "MACRO_FILES", 2)
    monkeypatch.setattr(macro_files, "MACRO_FOLDERS", 2)
    for name in ("a.md", "b.md", "c.md", "note.txt"):
        write(tmp_path / "many" / name)
    assert names(nested(tmp_path / "many")) == ["a", "b"]
    assert nested(tmp_path / "many").faults == (
        f"{tmp_path}/many: only its first 2 macros are used",
    )
    for name in ("one", "two", "three"):
        (tmp_path / "wide" / name).mkdir(parents=True)
    assert nested(tmp_path / "wide").faults == (
        f"{tmp_path}/wide: only its first 2 folders are used",
    )


@pytest.mark.parametrize(
    "name",
    ["two words", "tab\there", "zero\u200bwidth", "x\u200d", "\u3164", "wide\u3000", "\x1b[2J"],
)
def test_a_name_that_nobody_can_type_is_told_and_not_used(tmp_path: Path, name: str) -> None:
    write(tmp_path / f"{name}.md")
    write(tmp_path / "fine-1.2_é:x.md")
    load = nested(tmp_path)
    assert names(load) == ["fine-1.2_é:x"]
    (fault,) = load.faults
    assert "nobody can type its name; rename it" in fault


def test_a_name_that_is_no_text_is_told_in_words_that_are(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    write(tmp_path / os.fsdecode(b"\xff") / "a.md")
    load = nested(tmp_path)
    assert names(load) == ["a"]
    (fault,) = load.faults
    assert "caf\\udce9.md: not used" in fault
    fault.encode()


class _Guarded(DiskFiles):
    """Files of which a host lets nobody see some."""

    def read(self, path: Path, most: int) -> bytes | Refused | None:
        if path.name == "gone.md":
            return None
        return Refused("it waits for trust") if path.name == "b.md" else super().read(path, most)

    def children(self, folder: Path) -> Sequence[Child] | Refused:
        return Refused("it is private") if folder.name == "shut" else super().children(folder)


def test_what_the_host_does_not_let_be_read_is_told_in_its_words(tmp_path: Path) -> None:
    for file in ("a.md", "b.md", "gone.md", "shut/c.md"):
        write(tmp_path / file)
    load = discover_macros([MacroRoot(tmp_path, MacroOrigin.USER, nested=True)], _Guarded())
    assert names(load) == ["a"]
    assert load.faults == (
        f"{tmp_path}/b.md: not used: it waits for trust",
        f"{tmp_path}/gone.md: not used: there is no such file",
        f"{tmp_path}/shut: not used: it is private",
    )
