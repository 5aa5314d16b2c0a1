"""Whatever the tree is, gathering ends, raises nothing, and keeps its promises."""

from __future__ import annotations

import os
import random
import time
from contextlib import suppress
from pathlib import Path

import pytest

from induscode.briefing.context_docs import CANDIDATE_FILES, Gathered
from tests.briefing.docs.place import Place
from tests.requirements import requirement

NAMES = [
    *CANDIDATE_FILES,
    "a.md",
    "b.md",
    "sub/a.md",
    "sub/AGENTS.md",
    "LICENSE",
    "x.png",
    ".env",
    ".claude/rules/r.md",
    ".claude/rules/s/t.md",
    os.fsdecode(b"odd\xff\n\x1b.md"),
    "two words.md",
]
FOLDERS = ["", "work/", "./", "~/", "srv/"]
WORDS = [
    *("@a.md", "@sub/a.md", "@../AGENTS.md", "@~/a.md", "@AGENTS.md", "@LICENSE", "@x.png"),
    *(r"@two\ words.md", "@.", "@sub", "@loop", "`@a.md`", "```", "---", "paths: **/*.ts", "é😀"),
    *("\u200b", "@.env", "@/etc/hostname", "word", "\n", "\n\n", "\r\n", "@" + "y" * 300),
]


def grow(place: Place, dice: random.Random) -> None:
    """Files, folders, pipes and links in places where documents are looked for."""
    for _ in range(dice.randrange(4, 40)):
        name = dice.choice(FOLDERS) + dice.choice(NAMES)
        with suppress(OSError):  # a folder where a file stands: the tree stays as it is
            if not os.path.lexists(place.path(name)):
                plant(place, name, dice)


def plant(place: Place, name: str, dice: random.Random) -> None:
    text = " ".join(dice.choices(WORDS, k=dice.randrange(1, 30)))
    match dice.randrange(8):
        case 0:
            place.link(name, place.root / dice.choice(["work/app", "home", "srv", "nowhere"]))
        case 1:
            path = place.write(name, "")
            place.link(name, dice.choice([path, path.parent, path.parent.parent]))
        case 2:
            path = place.write(name, "")
            path.unlink()
            os.mkfifo(path)
        case 3:
            path = place.write(name, "")
            path.unlink()
            path.mkdir()
        case 4:
            place.write(name, dice.choice([b"\xff\xfe\x00", b"\xff bad @a.md", b"\0", b""]))
        case 5:
            place.write(name, text).chmod(0)
        case _:
            place.write(name, text)


def check(found: Gathered, room: int, together: int) -> None:
    shown = [doc.file for doc in found.docs if "\ufffd" not in doc.file]
    reals = [os.path.realpath(file) for file in shown]
    assert len(set(reals)) == len(reals)
    assert sum(len(doc.body.encode()) for doc in found.docs) <= together
    files = {doc.file for doc in found.docs}
    for doc in found.docs:
        assert doc.body == doc.body.lstrip() != ""
        assert len(doc.body.encode()) <= room
        assert doc.path.isprintable()
        assert not doc.importer or doc.importer.rpartition(":")[0] in files
        if "\ufffd" not in doc.file + doc.body:
            lines = Path(doc.file).read_text(encoding="utf-8-sig").split("\n")
            assert doc.body.partition("\n")[0] in lines[doc.line - 1]
    for text in (note.sentence() for note in found.notes):
        assert text.isprintable()
        text.encode()


@requirement("briefing.docs.never-fails")
@pytest.mark.parametrize("seed", range(60))
def test_no_tree_makes_gathering_fail(place: Place, seed: int) -> None:
    dice = random.Random(seed)
    grow(place, dice)
    rules = (place.cwd / ".claude/rules", place.home / ".claude/rules")
    room, together = dice.choice([0, 7, 500, 40_000]), dice.choice([0, 300, 200_000])
    depth = dice.choice([None, 0, 1, 50])
    found = place.gather(depth=depth, each=room, together=together, rules=rules)
    check(found, room, together)
    assert place.gather(depth=depth, each=room, together=together, rules=rules) == found


def test_each_file_is_read_once_and_fifty_documents_take_no_time(place: Place) -> None:
    place.write("./AGENTS.md", "\n".join(f"@notes/{number}.md" for number in range(49)))
    for number in range(49):
        place.write(f"./notes/{number}.md", f"Note {number}.\n" * 60)
    place.gather()
    place.files.reads.clear()
    began = time.process_time()
    found = place.gather()
    assert time.process_time() - began < 1
    assert len(found.docs) == 50
    assert len(place.files.reads) == len(set(place.files.reads))
