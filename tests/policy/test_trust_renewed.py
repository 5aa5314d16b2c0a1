"""A second look at a workspace: what did not change is not read again, all else is noticed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from induscode.policy import contents
from induscode.policy.trust import State
from tests.policy.trusting import Bench, item

DOCUMENT = "AGENTS.md"
TREE = {
    DOCUMENT: "Use tabs. @docs/style.md\n",
    "docs/style.md": "Short lines. @deep/more.md\n",
    "docs/deep/more.md": "No emoji.\n",
    "CLAUDE.md": "Nothing else.\n",
}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path)
    bench.write(TREE)
    return bench


def count_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    real = vars(contents)["_open"]
    read: list[str] = []

    def opened(workspace: Path, path: str, flags: int) -> int:
        read.append(path)
        return real(workspace, path, flags)

    monkeypatch.setattr(contents, "_open", opened)
    return read


def test_a_second_look_reads_only_what_changed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write({".indus/skills/tidy/SKILL.md": "Tidy up."})
    bench.granted()
    first = bench.trust()
    before = first.states()
    read = count_reads(monkeypatch)
    assert first.unchanged()
    assert first.renewed(first.items).states() == before
    assert read == []
    bench.write({"docs/deep/more.md": "evil"})
    assert not first.unchanged()
    second = first.renewed(bench.trust().items)
    assert second.state(item(second, DOCUMENT)).state is State.CHANGED
    assert len(second.admitted()) == 2
    assert set(read) == {DOCUMENT, "docs/style.md", "docs/deep/more.md"}


def _grant(bench: Bench) -> None:
    bench.granted()


def _appears(bench: Bench) -> None:
    bench.write({"docs/later.md": "x"})


def _added(bench: Bench) -> None:
    bench.write({".indus/skills/tidy/more.md": "x"})


def _linked(bench: Bench) -> None:
    (bench.work / "docs").rename(bench.work / "other")
    (bench.work / "docs").symlink_to("other")


def _store_opened_to_all(bench: Bench) -> None:
    bench.home.chmod(0o777)


@pytest.mark.parametrize("change", [_grant, _appears, _added, _linked, _store_opened_to_all])
def test_a_change_is_noticed_without_opening_anything(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, change: Callable[[Bench], None]
) -> None:
    bench.write({DOCUMENT: "@docs/later.md @docs/style.md", ".indus/skills/tidy/SKILL.md": "x"})
    bench.granted()
    bench.write({"CLAUDE.local.md": "new"})
    trust = bench.trust()
    trust.states()
    assert trust.unchanged()
    change(bench)
    read = count_reads(monkeypatch)
    assert not trust.unchanged()
    assert read == []
