"""Outside of a workspace a file is read when nobody else could have written it."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.boot import owned_files, trusted_files
from induscode.briefing.files import Refused
from tests.boot.trusted_desk import MOST, Desk, names, refusal
from tests.requirements import requirement

STRANGER = 4242
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write({"AGENTS.md": "Mine.", "docs/more.md": "More."}, desk.home)
    return desk


# Whose it is


@requirement("invariant.08.documents-above")
def test_the_users_own_documents_are_read(desk: Desk) -> None:
    file = desk.home / "AGENTS.md"
    for mode in (0o600, 0o644, 0o444):
        file.chmod(mode)
        assert desk.read(file) == b"Mine."
    assert desk.files().read(file, 2) == b"Min"
    assert desk.read(desk.home / "CLAUDE.md") is None
    assert desk.read(file / "below") is None


def _given_away(desk: Desk) -> None:
    os.chown(desk.home / "AGENTS.md", STRANGER, -1)


def _for_all(desk: Desk) -> None:
    (desk.home / "AGENTS.md").chmod(0o666)


def _for_a_group(desk: Desk) -> None:
    os.chown(desk.home / "AGENTS.md", -1, STRANGER)
    (desk.home / "AGENTS.md").chmod(0o664)


def _folder_given_away(desk: Desk) -> None:
    os.chown(desk.home, STRANGER, -1)


def _folder_for_all(desk: Desk) -> None:
    desk.home.chmod(0o777)


def _folder_for_a_group(desk: Desk) -> None:
    os.chown(desk.home, -1, STRANGER)
    desk.home.chmod(0o775)


def _linked_to_a_strangers(desk: Desk) -> None:
    other = desk.root / "other.md"
    other.write_text("evil")
    os.chown(other, STRANGER, -1)
    (desk.home / "AGENTS.md").unlink()
    (desk.home / "AGENTS.md").symlink_to(other)


def _link_of_a_stranger(desk: Desk) -> None:
    file = desk.home / "AGENTS.md"
    file.unlink()
    file.symlink_to("docs/more.md")
    os.chown(file, STRANGER, -1, follow_symlinks=False)


OTHERS = [
    (_given_away, "it belongs to somebody else"),
    (_for_all, "others may write it; run: chmod go-w {home}/AGENTS.md"),
    (_for_a_group, "others may write it; run: chmod go-w {home}/AGENTS.md"),
    (_folder_given_away, "its folder {home} belongs to somebody else"),
    (_folder_for_all, "others may write its folder; run: chmod go-w {home}"),
    (_folder_for_a_group, "others may write its folder; run: chmod go-w {home}"),
    (_linked_to_a_strangers, "it belongs to somebody else"),
    (_link_of_a_stranger, "{home}/AGENTS.md is a link that somebody else made"),
]


@as_root
@requirement("invariant.08.documents-above")
@pytest.mark.parametrize(("change", "reason"), OTHERS)
def test_what_others_could_have_written_is_refused_with_the_reason(
    desk: Desk, change: Callable[[Desk], None], reason: str
) -> None:
    change(desk)
    found = refusal(desk.read(desk.home / "AGENTS.md"))
    assert found.startswith(reason.format(home=desk.home))
    assert refusal(desk.read(desk.home / "AGENTS.md")) == found


def test_a_remedy_can_be_pasted_into_a_shell(desk: Desk) -> None:
    file = desk.home / "it's; rm -rf" / "a.md"
    desk.write({str(file.relative_to(desk.home)): "x"}, desk.home)
    file.chmod(0o666)
    quoted = str(file).replace("'", "'\"'\"'")
    assert f"chmod go-w '{quoted}'" in refusal(desk.read(file))


def test_a_group_that_is_the_users_own_counts_as_the_user(desk: Desk) -> None:
    (desk.home / "AGENTS.md").chmod(0o664)
    desk.home.chmod(0o775)
    assert desk.read(desk.home / "AGENTS.md") == b"Mine."


@as_root
def test_in_a_folder_like_tmp_the_owner_of_the_file_decides(desk: Desk) -> None:
    desk.home.chmod(0o777 | stat.S_ISVTX)
    file = desk.home / "AGENTS.md"
    assert desk.read(file) == b"Mine."
    (desk.home / "other.md").hardlink_to(file)
    assert "second name" in refusal(desk.read(file))
    (desk.home / "other.md").unlink()
    os.chown(file, STRANGER, -1)
    assert "somebody else" in refusal(desk.read(file))


@as_root
def test_a_folder_on_the_way_that_is_a_strangers_link_is_not_followed(desk: Desk) -> None:
    desk.home.chmod(0o777 | stat.S_ISVTX)
    (desk.home / ".claude").symlink_to("docs")
    desk.write({"docs/CLAUDE.md": "x"}, desk.home)
    assert desk.read(desk.home / ".claude" / "CLAUDE.md") == b"x"
    os.chown(desk.home / ".claude", STRANGER, -1, follow_symlinks=False)
    assert "somebody else made" in refusal(desk.read(desk.home / ".claude" / "CLAUDE.md"))
    assert "somebody else made" in refusal(desk.files().children(desk.home / ".claude"))


@as_root
@pytest.mark.parametrize("change", [_folder_given_away, _folder_for_all, _folder_for_a_group])
def test_a_folder_that_others_may_write_is_not_listed(
    desk: Desk, change: Callable[[Desk], None]
) -> None:
    assert names(desk.files().children(desk.home)) == ["AGENTS.md", "docs/", "src/"]
    change(desk)
    assert isinstance(desk.files().children(desk.home), Refused)


# What it is


def _socket(file: Path) -> None:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(str(file))


def _circle(file: Path) -> None:
    file.symlink_to(file.name)


STRANGE = [
    (os.mkfifo, "not a regular file"),
    (_socket, "cannot be read"),
    (Path.mkdir, "not a regular file"),
    (_circle, "circle"),
]


@pytest.mark.parametrize(("make", "reason"), STRANGE)
def test_what_is_no_file_is_refused_and_nothing_hangs(
    desk: Desk, make: Callable[[Path], None], reason: str
) -> None:
    make(desk.home / "CLAUDE.md")
    assert reason in refusal(desk.read(desk.home / "CLAUDE.md"))


@pytest.mark.parametrize("place", ["/proc/self/environ", "/proc/self/fd/0", "/dev/zero"])
def test_a_link_to_what_the_system_makes_up_is_refused(desk: Desk, place: str) -> None:
    (desk.home / "CLAUDE.md").symlink_to(place)
    assert refusal(desk.read(desk.home / "CLAUDE.md")) == "it is no file of a disk"


def test_of_a_huge_document_only_the_beginning_is_read(desk: Desk) -> None:
    for file in (desk.home / "AGENTS.md", desk.work / "AGENTS.md"):
        with file.open("wb") as opened:
            opened.truncate(100 * 1024 * 1024)
    desk.grant()
    assert desk.read(desk.home / "AGENTS.md") == bytes(MOST + 1)
    assert desk.read(desk.work / "AGENTS.md") is None


def test_names_are_whatever_the_disk_has(desk: Desk) -> None:
    odd = ["a\nb.md", os.fsdecode(b"c\xff.md")]
    desk.write(dict.fromkeys((f"odd/{name}" for name in odd), "x"), desk.home)
    files = desk.files()
    assert names(files.children(desk.home / "odd")) == odd
    assert [files.read(desk.home / "odd" / name, MOST) for name in odd] == [b"x", b"x"]


def test_a_folder_with_too_many_entries_is_not_listed(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owned_files, "MAX_ENTRIES", 3)
    desk.write({f"many/{number}": "x" for number in range(3)}, desk.home)
    assert len(names(desk.files().children(desk.home / "many"))) == 3
    desk.write({"many/.4": "x"}, desk.home)
    assert "more than 3 entries" in refusal(desk.files().children(desk.home / "many"))


def _to_a_link(file: Path) -> None:
    file.unlink()
    file.symlink_to(file.with_name("secret"))


def _to_a_fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _to_a_strangers(file: Path) -> None:
    os.chown(file, STRANGER, -1)


@as_root
@pytest.mark.parametrize("swap", [_to_a_link, _to_a_fifo, _to_a_strangers])
def test_a_file_swapped_in_the_last_moment_is_not_read(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, swap: Callable[[Path], None]
) -> None:
    desk.write({"secret": "x"}, desk.home)
    real = trusted_files.followed

    def followed(path: str) -> str | Refused | None:
        found = real(path)
        swap(Path(path))
        return found

    monkeypatch.setattr(trusted_files, "followed", followed)
    assert isinstance(desk.read(desk.home / "AGENTS.md"), Refused)


# Imports of the user's own documents


REACH = [
    ("docs/more.md", ""),
    ("no/such.md", ""),
    (".claude/CLAUDE.md", ""),
    (".agents/notes.md", ""),
    (".ssh/id_rsa", "it is hidden"),
    (".claude/.credentials.json", "it is hidden"),
    (".config/indus/config.toml", "it is hidden"),
    ("to-ssh.md", "a link leads elsewhere: it is hidden"),
    ("to-passwd.md", "a link leads elsewhere: it is neither"),
    ("/etc/passwd", "neither below your home"),
    ("/proc/self/environ", "neither below your home"),
    ("../beside.md", "neither below your home"),
    ("src/work/AGENTS.md", "into the workspace"),
    ("to-work.md", "into the workspace"),
    ("src/work/out.md", "into the workspace"),
]


@pytest.mark.parametrize(("target", "reason"), REACH)
@pytest.mark.parametrize("importer", ["AGENTS.md", ".claude/CLAUDE.md"])
def test_a_document_of_the_home_brings_in_what_is_open_in_the_home(
    desk: Desk, importer: str, target: str, reason: str
) -> None:
    hidden = {".ssh/id_rsa": "x", ".claude/.credentials.json": "x", ".claude/CLAUDE.md": "x"}
    desk.write({**hidden, ".config/indus/config.toml": "x", "../beside.md": "x"}, desk.home)
    desk.write({"AGENTS.md": "x"})
    (desk.home / "to-ssh.md").symlink_to(".ssh/id_rsa")
    (desk.home / "to-passwd.md").symlink_to("/etc/passwd")
    (desk.home / "to-work.md").symlink_to(desk.work / "AGENTS.md")
    (desk.work / "out.md").symlink_to(desk.home / "docs/more.md")
    place = Path(os.path.normpath(desk.home / target))
    barred = desk.files().barred(desk.home / importer, place)
    assert barred.startswith(reason) or reason in barred
    assert bool(reason) == bool(barred)


def test_documents_that_are_kept_elsewhere_and_linked_bring_in_their_neighbours(
    desk: Desk,
) -> None:
    desk.write({".dotfiles/claude/CLAUDE.md": "x", ".dotfiles/claude/more.md": "x"}, desk.home)
    (desk.home / ".claude").symlink_to(".dotfiles/claude")
    files = desk.files()
    importer = desk.home / ".claude" / "CLAUDE.md"
    assert files.barred(importer, desk.home / ".claude" / "more.md") == ""
    assert files.barred(desk.home / "AGENTS.md", desk.home / ".claude" / "more.md") != ""


def test_a_document_above_brings_in_what_is_below_its_own_folder(desk: Desk) -> None:
    desk.write({"team/AGENTS.md": "x", "team/a/style.md": "x", "team/.b/x.md": "x"}, desk.root)
    desk.write({"else.md": "x"}, desk.root)
    files = desk.files()
    importer = desk.root / "team" / "AGENTS.md"
    assert files.barred(importer, desk.root / "team" / "a" / "style.md") == ""
    assert files.barred(importer, desk.root / "team" / ".b" / "x.md") == "it is hidden"
    assert "neither" in files.barred(importer, desk.root / "else.md")
    assert "neither" in files.barred(Path("/AGENTS.md"), Path("/etc/passwd"))


def test_our_own_files_are_no_documents(desk: Desk) -> None:
    desk.config = desk.home / ".indus"
    desk.write({"credentials.json": "x", "notes.md": "x"}, desk.config)
    files = desk.files()
    importer = desk.home / "AGENTS.md"
    assert "a file of indus" in files.barred(importer, desk.config / "credentials.json")
    assert files.barred(importer, desk.config / "notes.md") == ""
