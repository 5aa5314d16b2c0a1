"""ripgrep reads by itself: nothing of what it reads may get around the gate."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.permission import SessionPermission
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import plain_text
from induscode.kernel.tool import ToolContext
from induscode.policy.gate import Policy
from induscode.policy.modes import Mode
from induscode.policy.redaction import Secrets
from induscode.policy.rules import Effect, parse_rule
from induscode.policy.verdict import Allow, Ask, Deny, Layer
from induscode.tools.guarded import GuardedFilesystem
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from induscode.tools.search import find
from induscode.tools.search.limits import LINE_CHARACTERS
from induscode.tools.spill import Spill
from tests.cli.home import Home, answer
from tests.decks import bound_deck

KEY = "sk-canary-9f2c41d7e8"


class Guarded:
    """Both tools as a session has them, under a policy."""

    def __init__(self, root: Path, *denied: str, mode: Mode = Mode.FULL) -> None:
        self.work = root / "work"
        self.work.mkdir(exist_ok=True)
        rules = [parse_rule(text, effect=Effect.DENY, layer=Layer.USER) for text in denied]
        self.permission = SessionPermission(Policy(mode, self.work, tuple(rules)))
        self.tools = bound_deck(self.work)
        self.spill = root / "spill"

    def file(self, name: str, content: str) -> None:
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    async def said(self, tool: str, **arguments: Any) -> str:
        call = self.permission.view(self.tools[tool], arguments)
        context = ToolContext(
            cwd=self.work,
            fs=GuardedFilesystem(LocalFilesystem(), partial(self.permission.reaches, call)),
            shell=LocalShell(self.spill, environ={}),
            cancel=CancelToken(),
            progress=lambda _: None,
            spill=Spill(self.spill).keep,
            clean=Secrets([("MY_KEY", KEY)]).text,
        )
        return plain_text((await self.tools[tool].tool.execute(arguments, context)).content)


@pytest.fixture
def guarded(tmp_path: Path) -> Guarded:
    made = Guarded(Path(os.path.realpath(tmp_path)), "read(secrets/**)", "read(**/.env)")
    made.file("open.txt", "needle in the open\n")
    made.file("secrets/prod.txt", "needle = hunter2\n")
    made.file("secrets/deep/more.txt", "needle\n" * 500)
    made.file("app/.env", "needle = hunter2\n")
    return made


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"context": 3},
        {"multiline": True},
        {"mode": "files"},
        {"mode": "count"},
        {"limit": 1},
        {"glob": "**"},
        {"glob": "*.txt"},
        {"path": "./"},
    ],
    ids=str,
)
async def test_a_denied_file_gives_neither_its_name_nor_a_line_nor_a_count(
    guarded: Guarded, more: dict[str, Any]
) -> None:
    said = await guarded.said("grep", pattern="needle", **more)

    assert "open.txt" in said
    for hint in ("secrets", "prod", ".env", "hunter2", "deep", "500", "left out", "more"):
        assert hint not in said


@pytest.mark.parametrize("mode", ["content", "files", "count"])
async def test_a_match_in_a_denied_file_looks_like_no_match(guarded: Guarded, mode: str) -> None:
    """Else the pattern could be asked, letter by letter, what stands in it."""
    right = await guarded.said("grep", pattern="= hunter2", mode=mode)
    wrong = await guarded.said("grep", pattern="= hunter3", mode=mode)

    assert right == wrong
    assert right.startswith("No match. ")


async def test_a_denied_place_is_no_root_either(guarded: Guarded) -> None:
    for path in ("secrets", "secrets/prod.txt", "app/.env"):
        call = guarded.permission.view(guarded.tools["grep"], {"pattern": "x", "path": path})
        assert isinstance(guarded.permission.judge(call), Deny)
        said = await guarded.said("grep", pattern="needle", path=path)
        assert "hunter2" not in said
        assert "not allowed" in said


async def test_find_leaves_denied_names_out_and_says_how_many(guarded: Guarded) -> None:
    assert await guarded.said("find", query="*") == "open.txt\n[3 left out that you may not read]"
    assert await guarded.said("find", query="*", type="directory") == (
        "app/\n[2 left out that you may not read]"
    )
    said = await guarded.said("find", query="prod")
    assert "prod.txt" not in said
    assert said.endswith("[1 left out that you may not read]")


async def test_what_is_similar_is_not_a_denied_name(guarded: Guarded) -> None:
    assert "prod" not in (await guarded.said("find", query="prodd.txt")).replace("prodd.txt", "")
    assert "open.txt" in await guarded.said("find", query="oppen.txt")


async def test_a_mass_of_denied_names_is_not_asked_about_for_ever(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find, "NAMES_CHECKED", 20)
    for number in range(30):
        guarded.file(f"secrets/mass/{number}.key", "")

    said = await guarded.said("find", query="*.key")

    assert "/mass/" not in said
    assert said.endswith(
        "[0 of 30; narrow the query, or raise limit (at most 2,000)]\n"
        "[20 left out that you may not read]"
    )


async def test_outside_is_searched_only_where_that_was_granted(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    guarded = Guarded(root, mode=Mode.ASK)
    outside = root / "outside"
    outside.mkdir()
    (outside / "note.txt").write_text("needle\n")
    call = guarded.permission.view(guarded.tools["grep"], {"pattern": "x", "path": str(outside)})

    assert isinstance(guarded.permission.judge(call), Ask)
    granted = await guarded.said("grep", pattern="needle", path=str(outside))
    assert granted == f"{outside}/note.txt\n1:needle"
    assert isinstance(
        guarded.permission.judge(guarded.permission.view(guarded.tools["grep"], {"pattern": "x"})),
        Allow,
    )


async def test_no_link_leads_out_of_what_was_granted(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path))
    guarded = Guarded(root, mode=Mode.ASK)
    outside = root / "outside"
    outside.mkdir()
    (outside / "note.txt").write_text("needle\n")
    (guarded.work / "link").symlink_to(outside)
    (guarded.work / "note.txt").symlink_to(outside / "note.txt")

    assert "note" not in await guarded.said("grep", pattern="needle", glob="link/**")
    assert (await guarded.said("find", query="note")).startswith("Nothing below")
    linked = guarded.permission.view(guarded.tools["grep"], {"pattern": "x", "path": "link"})
    assert isinstance(guarded.permission.judge(linked), Ask)


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/root/etc", "/dev", "/dev/mem"])
def test_processes_and_devices_are_no_place_to_search(guarded: Guarded, path: str) -> None:
    for tool, wanted in (("grep", {"pattern": "x"}), ("find", {"query": "x"})):
        call = guarded.permission.view(guarded.tools[tool], {**wanted, "path": path})
        assert isinstance(guarded.permission.judge(call), Deny)


async def test_what_no_tool_may_touch_is_not_searched_from_above_either(guarded: Guarded) -> None:
    said = await guarded.said("find", query="environ", path=f"/proc/{os.getpid()}", type="file")

    assert "environ\n" not in said
    assert "left out that you may not read" in said


async def test_secrets_are_taken_out_before_a_line_is_cut(tmp_path: Path) -> None:
    guarded = Guarded(Path(os.path.realpath(tmp_path)))
    for at in range(LINE_CHARACTERS - len(KEY), LINE_CHARACTERS + 1, 3):
        guarded.file("a.txt", f"needle {'x' * (at - 7)}{KEY}{'y' * LINE_CHARACTERS}\n")
        said = await guarded.said("grep", pattern="needle")
        assert KEY[:6] not in said
        assert KEY[-6:] not in said


async def test_secrets_are_taken_out_of_lines_names_and_neighbours(tmp_path: Path) -> None:
    guarded = Guarded(Path(os.path.realpath(tmp_path)))
    guarded.file(f"{KEY}.txt", f"before\nneedle {KEY}\nafter\n")

    mark = "[redacted: MY_KEY]"
    assert await guarded.said("grep", pattern="needle", context=1) == (
        f"{mark}.txt\n1-before\n2:needle {mark}\n3-after"
    )
    assert await guarded.said("grep", pattern="needle", mode="count") == f"{mark}.txt:1"
    assert await guarded.said("find", query="*.txt") == f"{mark}.txt"


def test_a_deny_rule_holds_through_a_whole_run(tmp_path: Path) -> None:
    home = Home(Path(os.path.realpath(tmp_path)))
    (home.work / "secrets").mkdir()
    (home.work / "secrets" / "prod.txt").write_text("needle = hunter2\n")
    (home.work / "open.txt").write_text("needle in the open\n")
    searches = [
        ("grep", {"pattern": "needle"}),
        ("grep", {"pattern": "needle", "mode": "count"}),
        ("grep", {"pattern": "needle", "path": "secrets"}),
        ("find", {"query": "prod"}),
    ]
    model = home.script(answer("", *searches) + answer("Done."))

    ran = home.run("-p", "search", "-m", model, "--deny", "read(secrets/**)")

    assert ran.out.strip() == "Done.", ran.err
    results = [str(entry["content"]) for entry in home.entries("result")]
    assert len(results) == len(searches)
    for told in ("1:needle in the open", "open.txt:1", "denied by the rule", "1 left out"):
        assert sum(told in text for text in results) == 1, told
    assert not any("hunter2" in text or "prod.txt" in text for text in results)


async def test_a_rule_that_asks_about_a_file_is_not_answered_by_searching_around_it(
    tmp_path: Path,
) -> None:
    guarded = Guarded(tmp_path)
    ask = parse_rule("read(.env)", effect=Effect.ASK, layer=Layer.USER)
    guarded.permission = SessionPermission(Policy(Mode.ASK, guarded.work, (ask,)))
    guarded.file(".env", f"needle {KEY}\n")
    guarded.file("plain.txt", "needle in the open\n")
    shown = await guarded.said("grep", pattern="needle")
    assert "in the open" in shown
    assert ".env" not in shown
    assert ".env" not in await guarded.said("find", query="*")
    assert "needle" in await guarded.said("grep", pattern="needle", path=".env")
