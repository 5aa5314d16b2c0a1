"""Of a workspace the loaders see what was accepted, and notice later that something changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from induscode.boot.trusted_files import TrustedFiles
from induscode.briefing.files import Refused
from induscode.policy.contents import Seen
from tests.boot.trusted_desk import AT, MOST, TREE, Desk, count_opens, names, refusal
from tests.requirements import requirement


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write(TREE)
    return desk


# What is there


@requirement("invariant.08.trust-before-reading")
def test_before_trust_nothing_of_the_workspace_exists_and_nothing_is_opened(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = count_opens(monkeypatch)
    files = desk.files()
    assert [files.read(desk.work / name, MOST) for name in TREE] == [None] * len(TREE)
    assert names(files.children(desk.work / ".claude" / "skills")) == []
    assert set(opened) <= {"trust.json"}


def test_after_trust_every_accepted_file_is_there(desk: Desk) -> None:
    desk.grant()
    files = desk.files()
    for name, text in TREE.items():
        assert files.read(desk.work / name, MOST) == text.encode()
    assert files.read(desk.work / "docs" / ".." / "AGENTS.md", MOST) is not None
    assert files.read(desk.work / "AGENTS.md", 3) == b"Use "
    assert names(files.children(desk.work / ".claude")) == ["commands/", "skills/"]
    assert names(files.children(desk.work / ".claude/skills")) == ["loose.md", "tidy/"]
    assert names(files.children(desk.work / ".claude/skills/tidy")) == ["SKILL.md", "lib/"]
    assert names(files.children(desk.work / ".claude/skills/tidy/SKILL.md")) == []


def test_a_folder_lists_items_and_not_what_documents_import(desk: Desk) -> None:
    desk.write({"CLAUDE.md": "@.claude/skills/tidy/SKILL.md"})
    trust = desk.door().trust
    (document,) = [item for item in trust.items if item.path == "CLAUDE.md"]
    seen = trust.examine(document)
    assert isinstance(seen, Seen)
    trust.accept(document, seen, at=AT)
    files = desk.files()
    assert names(files.children(desk.work)) == ["CLAUDE.md"]
    assert names(files.children(desk.work / ".claude/skills")) == []
    assert files.read(desk.work / ".claude/skills/tidy/SKILL.md", MOST) == b"Tidy up.\n"


def test_what_is_new_or_changed_is_not_there_and_the_rest_is(desk: Desk) -> None:
    desk.grant()
    desk.write({".claude/skills/tidy/lib/more.md": "evil", ".claude/skills/new/SKILL.md": "x"})
    desk.write({".claude/skills/loose.md": "Loose.\n", "docs/style.md": "evil"})
    files = desk.files()
    assert names(files.children(desk.work / ".claude/skills")) == ["loose.md"]
    assert files.read(desk.work / ".claude/skills/tidy/SKILL.md", MOST) is None
    assert files.read(desk.work / ".claude/skills/new/SKILL.md", MOST) is None
    assert files.read(desk.work / "AGENTS.md", MOST) is None
    assert files.read(desk.work / "docs/style.md", MOST) is None


def test_one_file_has_one_real_path_whatever_links_lead_to_it(desk: Desk) -> None:
    (desk.work / "CLAUDE.md").symlink_to("AGENTS.md")
    (desk.work / ".agents").mkdir()
    (desk.work / ".agents/skills").symlink_to("../.claude/skills")
    desk.grant()
    files = desk.files()
    assert files.real(desk.work / "CLAUDE.md") == desk.work / "AGENTS.md"
    assert files.real(desk.work / ".agents/skills") == desk.work / ".claude/skills"
    skill = ".agents/skills/tidy/SKILL.md"
    assert files.real(desk.work / skill) == desk.work / ".claude/skills/tidy/SKILL.md"
    assert files.real(desk.work / "no/such") == desk.work / "no/such"
    listed = files.children(desk.work)
    assert not isinstance(listed, Refused)
    assert [child.name for child in listed if child.link] == [".agents", "CLAUDE.md"]


# Imports


INSIDE = [
    ("docs/style.md", ""),
    ("docs/missing.md", ""),
    ("docs/apart.md", "not part of what you accepted"),
    (".env", "not part of what you accepted"),
    ("out.md", "a link that leads out of the workspace"),
    ("../beside.md", "leads out of the workspace"),
    ("/etc/passwd", "leads out of the workspace"),
    ("/components/Button", ""),
    ("/proc/self/environ", "leads out of the workspace"),
    ("~/.ssh/id_rsa", "leads out of the workspace"),
    ("~/notes.md", "leads out of the workspace"),
]


@pytest.mark.parametrize(("target", "reason"), INSIDE)
def test_a_document_of_the_workspace_brings_in_what_was_accepted_with_it(
    desk: Desk, target: str, reason: str
) -> None:
    desk.write({"docs/apart.md": "x", ".env": "KEY=1"})
    desk.write({"notes.md": "x", ".ssh/id_rsa": "x", "src/beside.md": "x"}, desk.home)
    (desk.work / "out.md").symlink_to("/etc/passwd")
    desk.grant()
    place = Path(os.path.normpath(desk.work / target.replace("~", str(desk.home))))
    barred = desk.files().barred(desk.work / "AGENTS.md", place)
    assert reason in barred
    assert bool(reason) == bool(barred)


def test_an_import_that_appears_outside_in_the_last_moment_is_not_brought_in(desk: Desk) -> None:
    desk.grant()
    files = desk.files()
    place = desk.home / "later.md"
    assert files.barred(desk.work / "AGENTS.md", place) == ""
    place.write_text("x")
    assert files.read(place, MOST) is None
    assert not files.unchanged()
    assert "leads out" in files.renewed().barred(desk.work / "AGENTS.md", place)


def test_only_text_files_of_the_workspace_belong_to_a_document(desk: Desk) -> None:
    desk.write({"logo.png": "x", ".env": "KEY=1", "LICENSE": "MIT"})
    desk.write({"mine.md": "x"}, desk.home)
    desk.write({"CLAUDE.md": f"@logo.png @.env @LICENSE @{desk.home}/mine.md @~/mine.md @../x.md"})
    trust = desk.door().trust
    trust.accept_new(at=AT)
    (document,) = [item for item in trust.items if item.path == "CLAUDE.md"]
    assert trust.files(document) == ("", "/LICENSE")


def test_one_item_does_not_bring_in_what_belongs_to_another(desk: Desk) -> None:
    desk.write({"CLAUDE.md": "x"})
    desk.grant()
    files = desk.files()
    assert "not part" in files.barred(desk.work / "CLAUDE.md", desk.work / "docs/style.md")
    assert "not part" in files.barred(desk.work / "AGENTS.md", desk.work / "CLAUDE.md")


# Our own directory


def test_our_directory_inside_a_workspace_gives_that_workspace_nothing(desk: Desk) -> None:
    desk.config = desk.work / "indus"
    desk.write({"skills/own/SKILL.md": "x", "AGENTS.md": "x"}, desk.config)
    files = desk.files()
    assert names(files.children(desk.config / "skills")) == []
    assert files.read(desk.config / "skills/own/SKILL.md", MOST) is None
    assert files.read(desk.work / "AGENTS.md", MOST) is None


def test_in_a_home_that_is_the_workspace_our_directory_is_still_the_users_own(
    desk: Desk,
) -> None:
    desk.write({"skills/own/SKILL.md": "Mine."}, desk.config)
    desk.write({"AGENTS.md": "Waits."}, desk.home)
    files = TrustedFiles(desk.door(workspace=desk.home))
    assert names(files.children(desk.config / "skills")) == ["own/"]
    assert files.read(desk.config / "skills/own/SKILL.md", MOST) == b"Mine."
    assert files.read(desk.home / "AGENTS.md", MOST) is None


def test_a_link_from_outside_leads_to_what_was_accepted_and_no_further(desk: Desk) -> None:
    own = desk.home / ".claude" / "skills"
    own.mkdir(parents=True)
    (own / "tidy").symlink_to(desk.work / ".claude/skills/tidy")
    (desk.home / "AGENTS.md").symlink_to(desk.work / "README.md")
    desk.write({"README.md": "x"})
    files = desk.files()
    assert names(files.children(own)) == ["tidy/"]
    assert names(files.children(own / "tidy")) == []
    assert "into the workspace" in refusal(files.read(own / "tidy/SKILL.md", MOST))
    desk.grant()
    files = files.renewed()
    assert names(files.children(own / "tidy")) == ["SKILL.md", "lib/"]
    assert files.read(own / "tidy/SKILL.md", MOST) == b"Tidy up.\n"
    assert isinstance(files.read(desk.home / "AGENTS.md", MOST), Refused)
