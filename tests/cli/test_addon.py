"""`indus addon`: looked at before it counts, copied, pinned, granted, and taken away."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from induscode.boot.addons.store import AddonStore, InstalledState
from tests.cli.home import Home, answer
from tests.requirements import requirement

SAFETY = """\
id = "safety"
version = "1.0.0"

[[command]]
name = "deploy"
summary = "run the project deploy script"
exec = "./scripts/deploy.sh"

[[gate]]
event = "tool:before"
match-tool = "bash"
reason = "blocked by safety addon"
"""
PROGRAM = Path(__file__).parents[2] / "examples" / "addons" / "safety" / "safety.py"
GUARD = Path(__file__).parents[2] / "examples" / "addons" / "wasm" / "guard.wasm"
HOOK = "contribute-hook(pre-tool-call)"
DEPLOY = "contribute-command(deploy)"


def source(home: Home, text: str = SAFETY, name: str = "safety") -> Path:
    folder = home.root / "src" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.toml").write_text(text)
    return folder


def plan(home: Home, path: Path) -> dict[str, Any]:
    ran = home.run("addon", "plan", str(path), "--json")
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def rows(home: Home) -> dict[str, dict[str, Any]]:
    ran = home.run("addon", "list", "--json")
    assert (ran.code, ran.err) == (0, "")
    return {f"{row['source']}:{row['id'] or row['where']}": row for row in json.loads(ran.out)}


def grants(home: Home) -> dict[str, Any]:
    return json.loads(home.run("grants", "--json").out)["features"]


@requirement("cli.command.addon")
def test_an_addon_is_planned_tested_installed_listed_and_removed(home: Home) -> None:
    folder = str(source(home))
    assert rows(home) == {}
    assert plan(home, source(home))["id"] == "safety"
    home.run("-p", "hi", "-m", home.script(answer("", ("bash", {"command": "ls"})) + answer()))
    tried = home.run("addon", "test", folder, "--replay", "last")
    assert (tried.code, "blocked by safety addon" in tried.out) == (0, True), tried.err
    assert rows(home) == {}, "a test installs nothing"
    assert home.run("addon", "install", folder, "--yes").code == 0
    assert rows(home)["user:safety"]["state"] == "ok"
    assert "safety" in home.run("addon").out
    assert home.run("addon", "remove", "safety").code == 0
    assert rows(home) == {}


def test_a_plan_says_what_an_addon_is_and_changes_nothing(home: Home) -> None:
    before = sorted(home.indus.rglob("*"))
    made = plan(home, source(home))
    assert (made["id"], made["tier"], made["version"]) == ("safety", 0, "1.0.0")
    assert len(made["digest"]) == 64
    assert made["hooks"] == ["may stop: tool:before (bash)"]
    assert made["commands"] == ["/deploy: run the project deploy script"]
    assert made["runs"] == ["/deploy: ./scripts/deploy.sh"]
    assert [one["capability"] for one in made["requests"]] == [HOOK, DEPLOY]
    assert (made["asked"], made["conflicts"], made["installed"]) == (False, [], None)
    assert sorted(home.indus.rglob("*")) == before


def test_the_plan_of_a_program_tells_its_interpreter_and_that_it_was_run_once(home: Home) -> None:
    made = plan(home, PROGRAM)
    assert (made["tier"], made["asked"], made["hooks"]) == (1, True, ["may stop: tool:before"])
    assert made["runs"] == [f"{sys.executable} -B {PROGRAM}"]
    assert made["confinement"]
    told = home.run("addon", "plan", str(PROGRAM)).out
    assert "It was run once, with nothing granted, to ask what it offers." in told


def test_the_plan_of_a_component_has_its_requests_with_reasons_and_its_tools_with_tokens(
    home: Home,
) -> None:
    made = plan(home, GUARD)
    asked, *_ = made["requests"]
    assert (made["tier"], asked["required"], asked["contributes"]) == (2, True, False)
    assert (asked["capability"], asked["reason"]) == ("send-message", "to greet")
    (tool,) = made["tools"]
    assert tool["tool"] == "count_words"
    assert 10 < tool["tokens"] < 200
    assert "may change: results of every tool" in made["hooks"]


def test_names_that_are_taken_or_reserved_are_told_beforehand(home: Home) -> None:
    tool = '[[tool]]\nname = "bash"\ndescription = "mine"\ncommand = ["./x"]\n'
    text = SAFETY.replace('"deploy"', '"help"') + tool
    conflicts = plan(home, source(home, text))["conflicts"]
    assert [line.partition(":")[0] for line in conflicts] == ["tool bash", "command help"]
    assert all("already" in line for line in conflicts)


def test_installing_copies_pins_and_grants(home: Home) -> None:
    folder = source(home)
    ran = home.run("addon", "install", str(folder), "--yes")
    assert (ran.code, ran.err) == (0, "")
    assert "installed: safety" in ran.out
    (row,) = rows(home).values()
    assert (row["state"], row["ungranted"], row["origin"]) == ("ok", [], str(folder))
    held = grants(home)["user:safety"]
    assert (held["version"], held["digest"]) == ("1.0.0", row["digest"])
    assert [one["kind"] for one in held["granted"]] == ["contribute-hook", "contribute-command"]
    (folder / "manifest.toml").unlink()
    assert rows(home)["user:safety"]["state"] == "ok", "it is a copy"


def test_without_a_person_nothing_is_installed_and_the_words_to_type_are_told(home: Home) -> None:
    ran = home.run("addon", "install", str(source(home)))
    assert ran.code == 2
    assert "may stop: tool:before (bash)" in ran.out
    assert "--yes" in ran.err
    assert "--grant" in ran.err
    assert rows(home) == {}


def test_only_what_is_named_is_granted(home: Home) -> None:
    ran = home.run("addon", "install", str(source(home)), "--grant", HOOK)
    assert ran.code == 0
    assert f"not granted: {DEPLOY}" in ran.out
    assert [one["kind"] for one in grants(home)["user:safety"]["granted"]] == ["contribute-hook"]
    assert rows(home)["user:safety"]["ungranted"] == [DEPLOY]


def test_what_it_does_not_ask_for_cannot_be_granted_with_it(home: Home) -> None:
    ran = home.run("addon", "install", str(source(home)), "--grant", "scoped-fs(read)")
    assert ran.code == 2
    assert HOOK in ran.err
    assert rows(home) == {}


def test_without_a_required_grant_it_waits(home: Home) -> None:
    wanted = '[[capability]]\nname = "emit-alert"\nreason = "to warn you"\n'
    home.run("addon", "install", str(source(home, SAFETY + wanted)), "--grant", HOOK)
    row = rows(home)["user:safety"]
    assert (row["state"], "emit-alert" in row["ungranted"]) == ("waits for grants", True)


def test_another_version_is_shown_as_a_difference_and_asks_again(home: Home) -> None:
    home.run("addon", "install", str(source(home)), "--yes")
    first = rows(home)["user:safety"]["digest"]
    newer = SAFETY.replace("1.0.0", "2.0.0").replace("deploy.sh", "ship.sh")
    wanted = '[[capability]]\nname = "emit-alert"\nreason = "to warn you"\nrequired = false\n'
    folder = source(home, newer.replace("bash", "write") + wanted)

    difference = plan(home, folder)["installed"]

    assert (difference["version"], difference["digest"]) == ("1.0.0", first)
    assert difference["added"] == ["asks for emit-alert", "may stop: tool:before (write)"]
    assert difference["removed"] == ["may stop: tool:before (bash)"]
    assert difference["changed"] == ["command /deploy"]
    assert difference["files"] == ["manifest.toml: changed"]
    assert home.run("addon", "install", str(folder)).code == 2
    assert rows(home)["user:safety"]["digest"] == first
    assert home.run("addon", "install", str(folder), "--grant", "emit-alert").code == 0
    held = grants(home)["user:safety"]
    assert held["digest"] != first
    assert [one["kind"] for one in held["granted"]] == ["emit-alert"], "old grants end"


def test_a_changed_copy_waits_and_what_it_guarded_stays_shut(home: Home) -> None:
    home.run("addon", "install", str(source(home)), "--yes")
    script = home.script(answer("", ("bash", {"command": "true"})) + answer("done"))
    gated = home.run("-p", "go", "-m", script, "--mode", "full")
    assert gated.code == 0
    (copy,) = home.indus.glob("addons/safety/*/manifest.toml")
    copy.write_text(SAFETY.replace("bash", "read"))

    assert rows(home)["user:safety"]["state"] == "changed since approval"
    home.run("-p", "go", "-m", script, "--mode", "full")
    assert [entry["outcome"] for entry in home.entries("result")] == ["denied"]
    (note,) = home.entries("hook")
    assert (note["by"], note["decision"]) == ("user:safety", "not-started")


def test_removing_takes_everything_and_an_unknown_id_is_said(home: Home) -> None:
    home.run("addon", "install", str(source(home)), "--yes")
    ran = home.run("addon", "remove", "safety")
    assert (ran.code, rows(home), grants(home)) == (0, {}, {})
    assert not list((home.indus / "addons").glob("safety*"))
    for name in ("safety", "../../x"):
        ran = home.run("addon", "remove", name)
        assert (ran.code, "installed: none" in ran.err) == (1, True)


def test_addons_of_the_workspace_are_listed_with_what_they_wait_for(home: Home) -> None:
    addons = home.work / ".indus" / "addons"
    for name in ("one", "two"):
        (addons / name).mkdir(parents=True)
        (addons / name / "manifest.toml").write_text(SAFETY.replace("deploy", name))
    (addons / "safety.py").write_bytes(PROGRAM.read_bytes())
    assert {row["state"] for row in rows(home).values()} == {"waits for trust"}

    assert home.run("trust", "grant").code == 0
    found = rows(home)
    assert found["project:safety"]["state"] == "ok"
    assert "is there already" in found["project:.indus/addons/two"]["reason"], "two with one id"
    assert found["project:.indus/addons/safety.py"]["state"] == "not looked at yet"

    (addons / "one" / "manifest.toml").write_text(SAFETY)
    assert rows(home)["project:.indus/addons/one"]["state"] == "changed since approval"


def test_a_program_of_the_workspace_offers_what_it_said_when_it_was_looked_at(home: Home) -> None:
    addons = home.work / ".indus" / "addons"
    addons.mkdir(parents=True)
    (addons / "safety.py").write_bytes(PROGRAM.read_bytes())
    home.run("trust", "grant")
    told = home.run("addon", "plan", ".indus/addons/safety.py").out
    assert "It belongs to this workspace" in told
    row = rows(home)["project:safety"]
    assert (row["state"], row["ungranted"]) == ("waits for grants", [HOOK])
    assert home.run("grants", "give", "project:safety", HOOK).code == 0
    assert rows(home)["project:safety"]["state"] == "ok"


@pytest.mark.parametrize("action", ["plan", "install"])
def test_a_program_of_a_workspace_is_not_run_before_it_is_trusted(home: Home, action: str) -> None:
    addons = home.work / ".indus" / "addons"
    addons.mkdir(parents=True)
    ran_at = home.root / "ran"
    (addons / "x.sh").write_text(f"#!/bin/sh\ntouch {ran_at}\n")
    (addons / "x.sh").chmod(0o755)
    ran = home.run("addon", action, ".indus/addons/x.sh")
    assert (ran.code, "indus trust grant .indus/addons/x.sh" in ran.err) == (1, True)
    assert "runs before it is trusted" in ran.err
    assert not ran_at.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("plan",), "needs a PATH"),
        (("install",), "needs a PATH"),
        (("remove",), "needs the ID"),
        (("list", "x"), "no more words"),
        (("plan", "x", "--yes"), "go with install"),
        (("install", "x", "--yes", "--grant", "emit-alert"), "--yes or --grant"),
        (("install", "x", "--grant", "everything"), "is no capability"),
    ],
)
def test_wrong_usage_is_told(home: Home, words: tuple[str, ...], said: str) -> None:
    ran = home.run("addon", *words)
    assert (ran.code, said in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [('id = "../../x"\n', "no id of an addon"), ("id = \n", "TOML"), ("", "id")],
)
def test_a_bad_manifest_is_refused_with_its_reason(home: Home, text: str, said: str) -> None:
    for action in ("plan", "install"):
        ran = home.run("addon", action, str(source(home, text)))
        assert (ran.code, said in ran.err) == (1, True)
    assert rows(home) == {}


def test_what_an_addon_says_of_itself_cannot_write_on_the_terminal(home: Home) -> None:
    text = SAFETY.replace("run the project", "\\u001b[2J\\u202erun")
    told = home.run("addon", "plan", str(source(home, text))).out
    assert "\x1b" not in told
    assert "\u202e" not in told


def _typed(home: Home, *words: str, keys: str) -> tuple[int, str]:
    """The command at a terminal, with these keys typed beforehand."""
    leader, follower = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "induscode", *words],
        cwd=home.work, env=home.environ(), stdin=follower, stdout=follower, stderr=follower,
    )  # fmt: skip
    os.close(follower)
    os.write(leader, keys.encode())
    said, deadline = b"", time.monotonic() + 30
    while time.monotonic() < deadline:
        ready, _, _ = select.select([leader], [], [], 1)
        try:
            piece = os.read(leader, 65536) if ready else b""
        except OSError:
            break
        said += piece
        if ready and not piece:
            break
    os.close(leader)
    return running.wait(30), said.decode()


@pytest.mark.parametrize(
    ("keys", "code", "kinds"),
    [
        ("y\n", 0, ["contribute-hook", "contribute-command"]),
        ("n\n", 1, []),
        ("\n", 1, []),
        ("e\nn\ny\n", 0, ["contribute-command"]),
    ],
)
def test_a_person_is_asked_for_all_or_for_each(
    home: Home, keys: str, code: int, kinds: list[str]
) -> None:
    ended, said = _typed(home, "addon", "install", str(source(home)), keys=keys)
    assert (ended, "grant all of this" in said) == (code, True)
    held = grants(home).get("user:safety", {})
    assert [one["kind"] for one in held.get("granted", [])] == kinds
    assert ("user:safety" in rows(home)) == (code == 0)


def test_a_kill_at_any_moment_leaves_no_half_of_an_addon(home: Home) -> None:
    folder = source(home)
    for number in range(40):
        (folder / f"{number}.txt").write_text("x" * 10_000)
    home.run("addon", "install", str(folder), "--yes")
    store = AddonStore(home.indus)
    before = {each.digest for each in store.installed()}
    (folder / "0.txt").write_text("other")
    began = time.monotonic()
    home.run("addon", "plan", str(folder))
    whole = time.monotonic() - began
    for part in range(8):
        running = home.start("addon", "install", str(folder), "--yes")
        try:
            running.communicate(timeout=whole * (0.6 + part * 0.1))
        except subprocess.TimeoutExpired:
            running.send_signal(signal.SIGKILL)
            running.communicate()
        (found,) = store.installed()
        assert found.state is InstalledState.OK, "the old one or the new one, and all of it"
    assert home.run("addon", "install", str(folder), "--yes").code == 0
    (found,) = store.installed()
    assert found.digest not in before
    assert [path.name for path in (home.indus / "addons" / "safety").iterdir()] == [found.digest]
