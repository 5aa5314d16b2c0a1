"""Imports: which are brought in, where they stand, and what is said about the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.briefing.context_docs import MOST_IMPORTS
from tests.briefing.docs.place import Place
from tests.requirements import requirement

ELSEWHERE = "it leads elsewhere and does not look like a document"
LEADS_OUT = "a link leads out of the folder of the file that names it"


@requirement("briefing.docs.import-inlined", "briefing.docs.parent-first")
def test_a_document_stands_before_what_it_imports(place: Place) -> None:
    place.write("./AGENTS.md", "first @a.md\nthen @b.md")
    place.write("./a.md", "A @c.md")
    place.write("./b.md", "B")
    place.write("./c.md", "C")
    assert place.headings() == ["./AGENTS.md", "./a.md", "./c.md", "./b.md"]


def test_an_import_knows_its_file_and_who_asked_for_it(place: Place) -> None:
    top = place.write("./AGENTS.md", "\n\nintro\n@notes/a.md")
    path = place.write("./notes/a.md", "\nA")
    doc = place.gather().docs[1]
    assert (doc.file, doc.line, doc.importer) == (str(path), 2, f"{top}:4")


@requirement("briefing.docs.import-relative")
def test_a_relative_import_is_meant_from_the_file_that_names_it(place: Place) -> None:
    place.write("./AGENTS.md", "@notes/a.md")
    place.write("./notes/a.md", "A @b.md")
    place.write("./notes/b.md", "right")
    place.write("./b.md", "wrong")
    assert "right" in place.bodies()
    assert "wrong" not in place.bodies()


@requirement("briefing.docs.import-home", "briefing.docs.import-absolute")
def test_imports_from_the_home_and_by_absolute_path(place: Place) -> None:
    elsewhere = place.write("srv/b.md", "B")
    place.write("./AGENTS.md", f"@~/a.md @{elsewhere}")
    place.write("~/a.md", "A")
    assert place.headings() == ["./AGENTS.md", "~/a.md", str(elsewhere)]


@requirement("briefing.docs.import-unescape")
def test_a_name_with_a_space_and_a_fragment(place: Place) -> None:
    place.write("./AGENTS.md", r"@my\ notes.md#style")
    place.write("./my notes.md", "mine")
    assert place.bodies()[1:] == ["mine"]


@requirement("briefing.docs.import-text-only")
def test_an_import_that_is_no_text_file_is_dropped_and_told(place: Place) -> None:
    place.write("./AGENTS.md", "one\n@logo.png @.env @missing.png")
    place.write("./logo.png", "not really")
    place.write("./.env", "SECRET=1")
    assert place.headings() == ["./AGENTS.md"]
    assert place.notes() == [
        "./AGENTS.md:2: @logo.png is not brought in: .png is no text file",
        "./AGENTS.md:2: @.env is not brought in: .env is no text file",
    ]


@requirement("briefing.docs.import-bare-name")
def test_a_bare_name_is_brought_in(place: Place) -> None:
    place.write("./AGENTS.md", "@LICENSE")
    place.write("./LICENSE", "free")
    assert place.bodies()[1:] == ["free"]


@pytest.mark.parametrize(
    "text", ["@decorator", "@pytest.mark", "mail @ada", "@types/node", "@/components/x", "@a.md"]
)
def test_a_target_that_is_not_there_is_no_import_and_no_noise(place: Place, text: str) -> None:
    place.write("./AGENTS.md", text)
    assert place.bodies() == [text]
    assert place.notes() == []


def test_what_is_there_and_cannot_be_read_is_told_where_it_is_asked_for(place: Place) -> None:
    place.write("./AGENTS.md", "@docs\n@bin\n@pipe")
    (place.cwd / "docs").mkdir()
    place.write("./bin", b"\0")
    os.mkfifo(place.cwd / "pipe")
    assert place.notes() == [
        "./AGENTS.md:1: @docs is not brought in: it is not a regular file",
        "./AGENTS.md:2: @bin is not brought in: it holds NUL bytes; save it as UTF-8 text",
        "./AGENTS.md:3: @pipe is not brought in: it is not a regular file",
    ]


def test_a_link_out_of_the_folder_and_a_file_like_a_key_are_refused(place: Place) -> None:
    place.write("~/.ssh/id_rsa", "PRIVATE")
    place.link("./innocent.md", place.home / ".ssh/id_rsa")
    place.write("./AGENTS.md", "x\n@~/.ssh/id_rsa\n@innocent.md")
    assert place.headings() == ["./AGENTS.md"]
    assert place.notes() == [
        f"./AGENTS.md:2: @~/.ssh/id_rsa is not brought in: {ELSEWHERE}",
        f"./AGENTS.md:3: @innocent.md is not brought in: {LEADS_OUT}",
    ]
    assert place.home / ".ssh/id_rsa" not in place.files.reads


def test_the_host_decides_what_is_barred(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def barred(importer: Path, target: Path) -> str:
        return f"{importer.name} may not" if target.name == "a.md" else ""

    monkeypatch.setattr(place.files, "barred", barred)
    place.write("./AGENTS.md", "@a.md @b.md")
    place.write("./a.md", "A")
    place.write("./b.md", "B")
    assert place.headings() == ["./AGENTS.md", "./b.md"]
    assert place.notes() == ["./AGENTS.md:1: @a.md is not brought in: AGENTS.md may not"]
    assert place.cwd / "a.md" not in place.files.reads


def test_a_note_has_no_control_characters(place: Place) -> None:
    place.write("./AGENTS.md", "@x\x1b[2J.png")
    place.write("./x\x1b[2J.png", "x")
    assert place.notes() == [
        "./AGENTS.md:1: @x\ufffd[2J.png is not brought in: .png is no text file"
    ]


@requirement("briefing.docs.cycle")
def test_imports_in_a_circle_and_twice_appear_once_and_are_read_once(place: Place) -> None:
    place.write("./AGENTS.md", "1 @AGENTS.md @a.md @b.md")
    place.write("./CLAUDE.md", "2 @AGENTS.md")
    place.write("./a.md", "A @b.md @AGENTS.md")
    real = place.write("./b.md", "B @a.md @c.md")
    place.link("./c.md", real)
    assert place.headings() == ["./AGENTS.md", "./a.md", "./b.md", "./CLAUDE.md"]
    assert place.notes() == []
    assert len(place.files.reads) == 2 * len(set(place.files.reads))


@requirement("briefing.docs.max-depth")
def test_imports_are_followed_five_deep(place: Place) -> None:
    place.write("./AGENTS.md", "0 @1.md")
    for depth in range(1, 9):
        place.write(f"./{depth}.md", f"{depth}\n@{depth + 1}.md")
    assert place.headings() == ["./AGENTS.md", *(f"./{depth}.md" for depth in range(1, 6))]
    assert place.notes() == ["./5.md:2: @6.md is not brought in: imports are followed 5 deep"]


@requirement("briefing.docs.max-depth", "briefing.docs.options-default")
def test_the_depth_can_be_set(place: Place) -> None:
    place.write("./AGENTS.md", "0 @1.md")
    for depth in range(1, 400):
        place.write(f"./{depth}.md", f"{depth} @{depth + 1}.md")
    assert len(place.gather(depth=0).docs) == 1
    assert len(place.gather(depth=2).docs) == 3
    assert len(place.gather(depth=10_000, each=100, together=1_000_000).docs) == 400
    assert len(place.gather(depth=None).docs) == 6


def test_at_the_end_of_the_depth_only_what_is_missing_here_is_told(place: Place) -> None:
    place.write("./AGENTS.md", "@a.md")
    place.write("./a.md", "@AGENTS.md @nothing @b.md")
    place.write("./b.md", "B")
    notes = [note.sentence() for note in place.gather(depth=1).notes]
    assert notes == ["./a.md:1: @b.md is not brought in: imports are followed 1 deep"]


def test_an_import_in_what_is_cut_off_is_not_followed_nor_one_cut_in_half(place: Place) -> None:
    place.write("./AGENTS.md", "see\n@a.md @b.md and @c.md")
    for name in ("a.md", "b", "b.md", "c.md"):
        place.write(f"./{name}", name)
    room = len("see\n@a.md @b")
    assert [doc.path for doc in place.gather(each=room).docs] == ["./AGENTS.md", "./a.md"]


def test_a_document_cannot_have_any_number_of_files_looked_up(place: Place) -> None:
    place.write("./AGENTS.md", "\n".join(f"@n{number}" for number in range(2 * MOST_IMPORTS)))
    found = place.gather()
    looked_up = [path for path in place.files.reads if path.name.startswith("n")]
    assert len(looked_up) == MOST_IMPORTS
    [note] = found.notes
    assert note.sentence() == (
        "./AGENTS.md:1001: @n1000 is not brought in:"
        " there are over 1,000 imports, and none after it is followed"
    )
