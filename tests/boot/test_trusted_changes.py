"""Whatever changes under a running session is noticed, and nothing else is read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.boot.trusted_files import TrustedFiles
from tests.boot.trusted_desk import MOST, TREE, Desk, count_opens, names
from tests.requirements import requirement


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write(TREE)
    return desk


def everything(desk: Desk) -> TrustedFiles:
    """A look at all that loaders look at."""
    files = desk.files()
    for name in (*TREE, "CLAUDE.md"):
        files.read(desk.work / name, MOST)
    for place in ("AGENTS.md", "CLAUDE.md", "missing/x.md", "link.md", "shut.md"):
        files.read(desk.home / place, MOST)
    for folder in ("skills", "commands"):
        files.children(desk.home / ".claude" / folder)
    files.barred(desk.home / "AGENTS.md", desk.home / "other.md")
    return files


def _edited(file: str) -> Callable[[Desk], None]:
    def change(desk: Desk) -> None:
        place = desk.home / file
        place.write_text(place.read_text().swapcase())

    change.__name__ = file
    return change


def _written(file: str) -> Callable[[Desk], None]:
    def change(desk: Desk) -> None:
        desk.write({file: "x"}, desk.home)

    change.__name__ = file
    return change


def _removed(desk: Desk) -> None:
    (desk.home / "AGENTS.md").unlink()


def _linked_elsewhere(desk: Desk) -> None:
    (desk.home / "link.md").unlink()
    (desk.home / "link.md").symlink_to("AGENTS.md")


def _behind_a_link(desk: Desk) -> None:
    (desk.home / "target.md").write_text("other")


def _behind_a_dangling_link(desk: Desk) -> None:
    (desk.home / "later").mkdir()


def _repaired(desk: Desk) -> None:
    (desk.home / "shut.md").chmod(0o600)


def _folder_opened(desk: Desk) -> None:
    desk.home.chmod(0o777)


def _granted(desk: Desk) -> None:
    desk.grant()


def _revoked(desk: Desk) -> None:
    desk.door().trust.store.forget(desk.work)


CHANGES = [
    _edited("AGENTS.md"),
    _edited("src/work/docs/style.md"),
    _edited("src/work/.claude/skills/tidy/lib/more.md"),
    _written("CLAUDE.md"),
    _written("missing/x.md"),
    _written("other.md"),
    _written(".claude/skills/new.md"),
    _written(".claude/commands/new.md"),
    _written("src/work/CLAUDE.local.md"),
    _written("src/work/.claude/rules/web/x.md"),
    _written("src/work/.claude/skills/tidy/new.md"),
    _removed,
    _linked_elsewhere,
    _behind_a_link,
    _behind_a_dangling_link,
    _repaired,
    _folder_opened,
    _granted,
    _revoked,
]


def prepare(desk: Desk) -> None:
    desk.grant()
    desk.write({"CLAUDE.md": "new"})
    own = {"AGENTS.md": "Mine.", "target.md": "x", "shut.md": "x", ".claude/skills/own.md": "x"}
    desk.write(own, desk.home)
    (desk.home / "shut.md").chmod(0o666)
    (desk.home / "link.md").symlink_to("target.md")
    (desk.home / ".claude/skills/dangling").symlink_to(desk.home / "later")


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_whatever_changes_is_noticed_without_opening_anything(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, change: Callable[[Desk], None]
) -> None:
    prepare(desk)
    files = everything(desk)
    assert files.unchanged()
    change(desk)
    opened = count_opens(monkeypatch)
    assert not files.unchanged()
    assert opened == []


def test_what_nobody_looked_at_may_change(desk: Desk) -> None:
    prepare(desk)
    files = everything(desk)
    desk.write({"src/main.py": "x", "docs/apart.md": "x"})
    desk.write({"notes.md": "x", ".cache/x": "x"}, desk.home)
    assert files.unchanged()


def test_a_second_look_opens_nothing_that_did_not_change(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(desk)
    files = everything(desk)
    paths = [*(desk.work / name for name in TREE), desk.home / "AGENTS.md", desk.home / "link.md"]
    before = [files.read(path, MOST) for path in paths]
    opened = count_opens(monkeypatch)
    assert [files.read(path, MOST) for path in paths] == before
    assert files.unchanged()
    assert opened == []
    desk.write({"AGENTS.md": "Changed."}, desk.home)
    files = files.renewed()
    assert [files.read(path, MOST) for path in paths][:-2] == before[:-2]
    assert files.read(desk.home / "AGENTS.md", MOST) == b"Changed."
    assert opened == ["AGENTS.md"]
    opened.clear()
    desk.write({".claude/skills/loose.md": "evil"})
    files = files.renewed()
    assert files.read(desk.work / ".claude/skills/loose.md", MOST) is None
    assert files.read(desk.work / "AGENTS.md", MOST) == TREE["AGENTS.md"].encode()
    assert files.read(desk.home / "AGENTS.md", MOST) == b"Changed."
    assert sorted(set(opened)) == ["loose.md", "trust.json"]


# While a session runs


def test_what_is_granted_meanwhile_is_there_at_the_next_look(desk: Desk) -> None:
    files = desk.files()
    assert files.read(desk.work / "AGENTS.md", MOST) is None
    desk.grant()
    assert not files.unchanged()
    renewed = files.renewed()
    assert renewed.read(desk.work / "AGENTS.md", MOST) == TREE["AGENTS.md"].encode()
    assert renewed.door.news(files.door) == ""


@requirement("invariant.08.trust-bound-to-content")
def test_what_changes_meanwhile_is_dropped_and_told_once(desk: Desk) -> None:
    desk.grant()
    files = desk.files()
    assert files.read(desk.work / "AGENTS.md", MOST) is not None
    desk.write({"docs/style.md": "evil", "CLAUDE.md": "new"})
    second = files.renewed()
    assert second.read(desk.work / "AGENTS.md", MOST) is None
    line = second.door.news(files.door)
    assert "changed since you trusted it, so it waits: AGENTS.md" in line
    assert "1 context document (CLAUDE.md)" in line
    assert "indus trust grant" in line
    desk.write({"docs/style.md": "more evil"})
    third = second.renewed()
    assert third.door is not second.door
    assert third.door.news(second.door) == ""
    assert third.renewed().door is third.door
    assert third.door.news(third.door) == ""
    desk.write({"docs/style.md": TREE["docs/style.md"]})
    back = third.renewed()
    assert back.read(desk.work / "docs/style.md", MOST) == TREE["docs/style.md"].encode()


def test_a_workspace_that_had_nothing_is_seen_when_it_has_something(desk: Desk) -> None:
    empty = desk.home / "empty"
    empty.mkdir()
    files = TrustedFiles(desk.door(workspace=empty))
    assert names(files.children(empty)) == []
    assert files.unchanged()
    desk.write({"AGENTS.md": "x"}, empty)
    assert not files.unchanged()
    door = files.renewed().door
    assert "1 context document (AGENTS.md)" in door.news(files.door)


def test_a_store_that_cannot_be_believed_any_more_admits_nothing_and_says_so(desk: Desk) -> None:
    desk.grant()
    files = desk.files()
    assert files.read(desk.work / "AGENTS.md", MOST) is not None
    (desk.config / "trust.json").chmod(0o666)
    assert not files.unchanged()
    second = files.renewed()
    assert second.read(desk.work / "AGENTS.md", MOST) is None
    assert names(second.children(desk.work / ".claude/skills")) == []
    assert "others may write it" in second.door.news(files.door)
    assert second.unchanged()
    (desk.config / "trust.json").chmod(0o600)
    assert not second.unchanged()
    assert second.renewed().read(desk.work / "AGENTS.md", MOST) is not None
