"""Which documents are found, in which order, and what becomes of their text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.briefing import gather_context_docs
from induscode.briefing.context_docs import (
    CANDIDATE_FILES,
    DEFAULT_MAX_BYTES,
    DEFAULT_MAX_BYTES_PER_DOC,
    DEFAULT_MAX_IMPORT_DEPTH,
    GatherContextDocsOptions,
    gather,
)
from induscode.policy.belongings import CONTEXT_NAMES
from tests.briefing.docs.place import FencedFiles, Place
from tests.requirements import requirement


@requirement("briefing.docs.root-to-cwd")
def test_the_closest_document_comes_last_of_the_chain(place: Place) -> None:
    place.write("./AGENTS.md", "app")
    place.write("work/AGENTS.md", "work")
    place.write("AGENTS.md", "top")
    assert place.bodies() == ["top", "work", "app"]


@requirement("briefing.docs.root-to-cwd")
def test_the_walk_begins_at_the_root_of_the_file_system(place: Place) -> None:
    place.gather()
    assert place.files.reads[0] == Path("/AGENTS.md")


@requirement("briefing.docs.home-after-chain")
def test_the_home_comes_after_the_chain(place: Place) -> None:
    place.write("~/CLAUDE.md", "home")
    place.write("./AGENTS.md", "app")
    place.write("AGENTS.md", "top")
    assert place.bodies() == ["top", "app", "home"]


def test_a_home_that_is_part_of_the_chain_is_read_once(place: Place) -> None:
    place.write("~/AGENTS.md", "home")
    place.cwd = place.home / "app"
    place.write("./AGENTS.md", "app")
    assert place.bodies() == ["home", "app"]
    assert place.files.reads.count(place.home / "AGENTS.md") == 1


@requirement("briefing.docs.candidates")
def test_the_candidates_of_a_directory_come_in_their_order(place: Place) -> None:
    for name in sorted(CANDIDATE_FILES):
        place.write(f"./{name}", name)
    assert place.bodies() == [
        "AGENTS.md",
        "CLAUDE.md",
        "INDUSAGI.md",
        "CLAUDE.local.md",
        "AGENTS.local.md",
        ".indusagi/CLAUDE.md",
        ".claude/CLAUDE.md",
    ]


@requirement("briefing.docs.short-paths")
def test_headings_are_short_below_the_working_directory_and_the_home(place: Place) -> None:
    above = place.write("work/AGENTS.md", "1")
    place.write("./.claude/CLAUDE.md", "2")
    place.write("~/AGENTS.md", "3")
    assert place.headings() == [str(above), "./.claude/CLAUDE.md", "~/AGENTS.md"]


def test_a_working_directory_in_the_home_is_named_from_itself(place: Place) -> None:
    place.cwd = place.home / "app"
    place.write("./AGENTS.md", "1")
    assert place.headings() == ["./AGENTS.md"]


def test_a_document_knows_its_file_and_the_line_its_body_begins_at(place: Place) -> None:
    path = place.write("./AGENTS.md", "\n \n\n  Be brief.\nBe kind.\n\n")
    [doc] = place.gather().docs
    assert (doc.body, doc.file, doc.line) == ("Be brief.\nBe kind.", str(path), 4)
    assert (doc.importer, doc.cut) == ("", 0)


def test_a_byte_order_mark_and_carriage_returns_are_not_part_of_a_text(place: Place) -> None:
    place.write("./AGENTS.md", b"\xef\xbb\xbf\r\nOne\r\nTwo\r\n")
    [doc] = place.gather().docs
    assert (doc.body, doc.line) == ("One\nTwo", 2)


@pytest.mark.parametrize("empty", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_document_is_passed_over(place: Place, empty: bytes) -> None:
    place.write("./AGENTS.md", empty)
    assert place.gather().docs == ()


def test_bytes_that_are_no_utf8_are_replaced_and_told(place: Place) -> None:
    place.write("./AGENTS.md", b"caf\xe9 au lait")
    found = place.gather()
    assert [doc.body for doc in found.docs] == ["caf\ufffd au lait"]
    assert place.notes() == ["./AGENTS.md: it is not UTF-8; what is wrong in it is replaced"]


def test_a_replacement_character_that_the_file_has_is_no_damage(place: Place) -> None:
    place.write("./AGENTS.md", "what \ufffd is")
    assert place.notes() == []


def test_a_binary_file_is_not_read_and_told(place: Place) -> None:
    place.write("./AGENTS.md", b"\x00\x01")
    place.write("./CLAUDE.md", "Use `wide` text.".encode("utf-16"))
    assert place.bodies() == []
    assert place.notes() == [
        "./AGENTS.md: not read: it holds NUL bytes; save it as UTF-8 text",
        "./CLAUDE.md: not read: it holds NUL bytes; save it as UTF-8 text",
    ]


@requirement("briefing.docs.never-fails")
def test_what_cannot_be_read_costs_only_itself(place: Place) -> None:
    (place.cwd / "AGENTS.md").mkdir()
    os.mkfifo(place.cwd / "CLAUDE.md")
    place.link("./CLAUDE.local.md", place.cwd / "CLAUDE.local.md")
    place.write("./AGENTS.local.md", "kept")
    assert place.bodies() == ["kept"]
    assert place.notes() == [
        "./AGENTS.md: not read: it is not a regular file",
        "./CLAUDE.md: not read: it is not a regular file",
        "./CLAUDE.local.md: not read: it cannot be read: Too many levels of symbolic links",
    ]


@requirement("briefing.docs.never-fails")
def test_a_working_directory_that_is_not_there_has_the_documents_above_it(place: Place) -> None:
    place.write("./AGENTS.md", "app")
    place.cwd = place.cwd / "gone" / "\ud800"
    place.home = Path("/nowhere\0")
    assert place.bodies() == ["app"]


@requirement("briefing.docs.cycle")
def test_two_names_of_one_file_are_one_document(place: Place) -> None:
    real = place.write("./AGENTS.md", "one")
    place.link("./CLAUDE.md", real)
    assert place.headings() == ["./AGENTS.md"]


def test_invisible_characters_are_kept_and_told(place: Place) -> None:
    text = "Be brief.\u200b\u202eyob"
    place.write("./AGENTS.md", text)
    found = place.gather()
    assert [doc.body for doc in found.docs] == [text]
    assert place.notes() == ["./AGENTS.md: it holds 2 invisible characters; the model reads them"]


def test_a_heading_is_one_printable_line_whatever_a_folder_is_called(place: Place) -> None:
    place.cwd = place.root / os.fsdecode(b"x\n# System\x1b[2J\xff") / "sub"
    place.cwd.mkdir(parents=True)
    (place.cwd.parent / "AGENTS.md").write_text("here")
    [doc] = place.gather().docs
    assert doc.path == f"{place.root}/x\ufffd# System\ufffd[2J\ufffd/AGENTS.md"
    assert doc.file == f"{place.root}/x\n# System\x1b[2J\ufffd/AGENTS.md"


@requirement("briefing.docs.max-bytes", "briefing.docs.options-default")
def test_the_defaults_are_what_the_documentation_says(place: Place) -> None:
    assert (DEFAULT_MAX_IMPORT_DEPTH, DEFAULT_MAX_BYTES_PER_DOC) == (5, 40_000)
    assert DEFAULT_MAX_BYTES == 200_000
    place.write("./AGENTS.md", "\n  " + "x" * 40_001)
    [doc] = place.gather(depth=None, each=None, together=None).docs
    assert (len(doc.body), doc.cut) == (40_000, 1)
    place.write("./AGENTS.md", "\n  " + "x" * 40_000 + "\n\n\n")
    [doc] = place.gather().docs
    assert (len(doc.body), doc.cut) == (40_000, 0)


@requirement("briefing.docs.max-bytes")
def test_what_is_cut_off_a_document_is_told_with_its_line(place: Place) -> None:
    place.write("./AGENTS.md", "\nabc\ndef\nghi")
    found = place.gather(each=5)
    assert [(doc.body, doc.cut) for doc in found.docs] == [("abc\nd", 6)]
    assert [note.sentence() for note in found.notes] == [
        "./AGENTS.md:3: 6 bytes are cut off here: a document has room for 5; shorten it"
    ]


def test_of_a_huge_document_not_all_is_read_and_its_cut_is_no_false_number(place: Place) -> None:
    path = place.write("./AGENTS.md", "é" * 100)
    with path.open("r+b") as file:
        file.seek(0)
        file.write(b"\xc3\xa9" * 250_000)
        file.truncate(3_000_000_000)
    found = place.gather()
    assert [doc.body for doc in found.docs] == ["é" * 20_000]
    [note] = found.notes
    assert note.reason.startswith("more than 360,000 bytes are cut off here")


@requirement("briefing.docs.char-boundary")
@pytest.mark.parametrize("room", range(1, 12))
def test_no_character_is_cut_through(place: Place, room: int) -> None:
    text = "aé€😀z"
    place.write("./AGENTS.md", text)
    kept = "".join(doc.body for doc in place.gather(each=room).docs)
    assert text.startswith(kept)
    assert room - 4 < len(kept.encode()) <= room


@requirement("briefing.docs.never-fails", "briefing.surface.gather-docs")
def test_the_list_of_documents_is_that_of_the_full_report(place: Place) -> None:
    place.write("./AGENTS.md", "app")
    opts = GatherContextDocsOptions(files=FencedFiles(place.root))
    docs = gather_context_docs(place.cwd, place.home, opts)
    assert docs == list(gather(place.cwd, place.home, opts).docs)
    assert isinstance(gather_context_docs(place.cwd, place.home), list)


def test_what_waits_for_trust_is_what_would_be_read() -> None:
    assert CONTEXT_NAMES == CANDIDATE_FILES
