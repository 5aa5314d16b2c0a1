"""Every example addon, in each of its languages, does in a session what its page says."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.addons.examples.shop import EXAMPLES, GUESTS, Shop
from tests.channels.place import BOUND, Place
from tests.channels.rpc_client import RpcClient
from tests.cli.home import answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, say

FULL = ("--mode", "full")


@pytest.mark.parametrize("kind", ["toml", "safety.py", "safety.mjs", "safety.sh", "safety.wasm"])
def test_safety_stops_a_force_push_and_nothing_else(shop: Shop, kind: str) -> None:
    shop.with_example(f"safety/{kind}")
    lines = ("git push --force", "echo pushed")
    shop.ask(*(("bash", {"command": line}) for line in lines), words=FULL)
    assert shop.said() == ["Blocked by safety: no force push from here", "pushed"]
    assert shop.replays()


@pytest.mark.parametrize("kind", ["redactor.py", "redactor.mjs", "redactor.wasm"])
def test_redactor_takes_keys_out_of_results(shop: Shop, kind: str) -> None:
    shop.with_example(f"redactor/{kind}")
    (shop.work / "keys.txt").write_text("one AKIAABCDEFGHIJKLMNOP, two xAKIAABCDEFGHIJKLMNOP\n")
    shop.ask(("bash", {"command": "cat keys.txt"}), words=FULL)
    assert shop.said() == ["one [an AWS key], two xAKIAABCDEFGHIJKLMNOP"]
    assert "one AKIA" not in shop.logs()[-1].read_text()
    assert shop.replays()
    assert "user:redactor" in shop.why("[an AWS key]")


@pytest.mark.parametrize("kind", ["toml", "deploy.py"])
def test_deploy_runs_the_script_of_the_project(shop: Shop, kind: str) -> None:
    shop.with_example(f"deploy/{kind}")
    script = shop.work / "scripts" / "deploy.sh"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\necho "deployed to $1"\n')
    script.chmod(0o755)
    rule = ("--allow", "bash(./scripts/deploy.sh *)")
    ran = shop.run("-p", "/deploy staging", "-m", shop.script(""), *rule)
    assert (ran.code, ran.out) == (0, "deployed to staging\n"), ran.err
    refused = shop.run("-p", "/deploy staging", "-m", shop.script(""))
    assert (refused.code, refused.out) == (3, "")


@pytest.mark.parametrize("kind", ["toml", "project_tool.py", "project_tool.wasm"])
def test_project_tool_finds_marks_and_takes_no_line_for_the_shell(shop: Shop, kind: str) -> None:
    shop.with_example(f"project-tool/{kind}")
    (shop.work / "a.txt").write_text('one\n# TODO: "two"\n')
    (shop.work / "b.txt").write_text("TODOS\n")
    marks = ("TODO", "FIXME", "x; touch made")
    ran = shop.ask(*(("find_marks", {"mark": mark}) for mark in marks), words=FULL)
    assert ran.code == 0, ran.err
    found, none, refused = shop.said()
    assert (found, none) == ('./a.txt:2:# TODO: "two"', "no line holds FIXME")
    assert "is not usable" in refused
    assert not (shop.work / "made").exists()
    assert shop.replays()


@pytest.mark.parametrize("kind", [EXAMPLES / "budgeter/budgeter.py", GUESTS / "budgeter-js.wasm"])
def test_budgeter_leaves_out_what_is_long_and_old(shop: Shop, kind: Path) -> None:
    shop.with_example(kind)
    (shop.work / "long.txt").write_text("0123456789" * 1_000)
    read = call("bash", command="cat long.txt")
    with AnthropicServer([read, call("bash", command="echo hi"), say("Well."), say("Bye.")]) as it:
        shop.url = it.url
        model = ("-m", "anthropic/claude-sonnet-4-5", *FULL)
        assert shop.run("-p", "go", *model).code == 0
        assert shop.run("-p", "and?", "-c", *model).code == 0
        bodies = [json.loads(body) for body in it.bodies]
    assert {body["max_tokens"] for body in bodies} == {1_024}
    left = "[10,000 characters left out to stay within the budget]"
    assert [left in json.dumps(body) for body in bodies] == [False, False, True, True]
    assert ["0123456789" in json.dumps(body) for body in bodies] == [False, True, False, False]
    assert len(shop.of("amendment", by="user:budgeter")) == 2, "each is said once"
    assert shop.replays()
    assert "user:budgeter" in shop.why("characters left out")


@pytest.mark.parametrize("kind", ["toml", "notifier.py"])
def test_notifier_tells_where_the_branch_is(shop: Shop, kind: str) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run([*git, "init", "-q"], cwd=shop.work, check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], cwd=shop.work, check=True)
    shop.with_example(f"notifier/{kind}")
    place = Place.__new__(Place)
    place.workspace, place.home = shop.work, shop.indus
    with RpcClient(place, "-m", shop.script(answer("Hello."))) as client:
        if kind == "toml":
            log = shop.work / "branch.log"
            _until(lambda: log.exists() and "the branch is at " in log.read_text())
        else:
            assert "user:notifier: the branch is at " in client.event("alert")["text"]


@pytest.mark.parametrize("folder", [path for path in EXAMPLES.iterdir() if path.is_dir()])
def test_every_example_has_a_page_that_names_its_files_and_what_it_asks_for(folder: Path) -> None:
    page = (folder / "README.md").read_text()
    assert "indus addon" in page
    assert "It asks for" in page or "it asks for" in page
    for file in folder.iterdir():
        if file.suffix in (".py", ".mjs", ".js", ".sh", ".wasm", ".c"):
            assert f"`{file.name}`" in page, file.name


def test_an_example_asks_for_no_more_than_its_page_says(shop: Shop) -> None:
    for folder in (path for path in EXAMPLES.iterdir() if path.is_dir()):
        page = (folder / "README.md").read_text()
        for place in (folder / "toml", *folder.glob("*.wasm"), *folder.glob("[!g]*.py")):
            if not place.exists():
                continue
            ran = shop.run("addon", "plan", str(place), "--json")
            assert ran.code == 0, ran.err
            for asked in json.loads(ran.out)["requests"]:
                name, _, rest = asked["capability"].partition("(")
                words = [name, *rest.rstrip(")").split(", ")]
                assert all(word in page for word in words if word), asked


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BOUND
    while not holds():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)
