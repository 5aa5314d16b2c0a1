"""Rules kept for always: outside the workspace, exact, and safe from anybody else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.errors import ConfigError
from induscode.policy.approvals import ApprovalStore, KeptRule
from induscode.policy.rules import Effect
from induscode.policy.verdict import Layer


def kept(text: str = "bash(make test)") -> KeptRule:
    tool, _, pattern = text.removesuffix(")").partition("(")
    return KeptRule(tool=tool, pattern=pattern, text=text, at="2026-01-01", session="01S")


def test_a_kept_rule_is_exact_and_of_its_workspace(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path / "config")
    store.keep(Path("/a"), kept())
    store.keep(Path("/a"), kept())

    (found,) = ApprovalStore(tmp_path / "config").rules(Path("/a"))

    rule = found.rule()
    assert (rule.effect, rule.layer, rule.exact) == (Effect.ALLOW, Layer.ALWAYS, True)
    assert (rule.tool, rule.pattern) == ("bash", "make test")
    assert store.rules(Path("/b")) == []


def test_a_workspace_that_holds_the_store_has_no_rules_of_its_own(tmp_path: Path) -> None:
    workspace = Path(os.path.realpath(tmp_path))
    store = ApprovalStore(workspace / "home")
    store.keep(workspace, kept())

    assert not store.serves(workspace)
    assert store.rules(workspace) == []
    assert store.serves(workspace / "other")


def test_a_forgotten_rule_is_gone_and_an_unknown_one_is_told(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path)
    store.keep(Path("/a"), kept())

    assert not store.forget(Path("/b"), "bash(make test)")
    assert not store.forget(Path("/a"), "bash(make)")
    assert store.forget(Path("/a"), "bash(make test)")
    assert store.all() == {}


def test_the_file_is_the_user_s_alone(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path / "config")
    store.keep(Path("/a"), kept())

    assert store.file.stat().st_mode & 0o777 == 0o600
    assert store.file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("content", ["", "{", "[]", '{"/a": [{"tool": "bash"}]}', '{"/a": "x"}'])
def test_a_damaged_file_allows_nothing_and_is_named(tmp_path: Path, content: str) -> None:
    store = ApprovalStore(tmp_path)
    store.file.write_text(content)

    with pytest.raises(ConfigError, match=r"approvals\.json.*remove it to be asked again"):
        store.rules(Path("/a"))
    with pytest.raises(ConfigError):
        store.keep(Path("/a"), kept())
    assert store.file.read_text() == content, "nothing is lost"


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_not_believed(tmp_path: Path, mode: int) -> None:
    store = ApprovalStore(tmp_path)
    store.keep(Path("/a"), kept())
    store.file.chmod(mode)

    with pytest.raises(ConfigError, match=r"others may write it.*chmod 600"):
        store.rules(Path("/a"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_not_believed(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path)
    store.keep(Path("/a"), kept())
    os.chown(store.file, 12345, 12345)

    with pytest.raises(ConfigError, match="somebody else owns it"):
        store.rules(Path("/a"))


def test_a_fifo_in_its_place_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    store = ApprovalStore(tmp_path)
    os.mkfifo(store.file)

    with pytest.raises(ConfigError, match="not a regular file"):
        store.rules(Path("/a"))
    store.file.unlink()
    store.file.mkdir()
    with pytest.raises(ConfigError, match="not a regular file"):
        store.rules(Path("/a"))


_KEEP_MANY = """
import sys
from pathlib import Path
from induscode.policy.approvals import ApprovalStore, KeptRule

for number in range(20):
    text = f"bash({sys.argv[2]} {number})"
    rule = KeptRule("bash", text, text, "2026-01-01", "01S")
    ApprovalStore(Path(sys.argv[1])).keep(Path("/" + sys.argv[2]), rule)
"""


def test_processes_that_write_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KEEP_MANY, str(tmp_path)]
    writers = [subprocess.Popen([*command, name]) for name in "ab"]

    assert [writer.wait(30) for writer in writers] == [0, 0]
    assert {key: len(rules) for key, rules in ApprovalStore(tmp_path).all().items()} == {
        "/a": 20,
        "/b": 20,
    }
