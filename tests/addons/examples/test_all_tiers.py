"""One session that addons of all tiers changed: it explains itself, here and where none is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.addons.examples.shop import Shop
from tests.cli.home import answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, say
from tests.requirements import requirement

_FULL = ("--mode", "full")
_MODEL = ("-m", "anthropic/claude-sonnet-4-5", *_FULL)
_WORDY = """\
id = "wordy"
version = "1.0.0"

[[capability]]
name = "scoped-fs(execute)"
reason = "to run sed"

[[hook]]
event = "input:submit"
kind = "transform"
command = ["sed", "s/hallo/hello/"]

[[hook]]
event = "chat:message"
kind = "transform"
command = ["sed", "s/Wel\\\\b/Well/"]
"""


@pytest.fixture
def mixed(shop: Shop) -> Shop:
    """Tier 0 changes what is said, tier 1 parameters and context, tier 2 arguments and results."""
    folder = shop.root / "wordy"
    folder.mkdir()
    (folder / "manifest.toml").write_text(_WORDY)
    for example in (folder, "budgeter/budgeter.py", "wasm/guard.wasm"):
        shop.with_example(example)
    (shop.work / "long.txt").write_text("0123456789" * 1_000)
    (shop.work / "key.txt").write_text("the key is sk-0123456789abcdef\n")
    return shop


def _session(shop: Shop) -> list[str]:
    """The bodies of a session with two calls; little of it is as model or person had it."""
    steps = [
        call("bash", command="sudo cat long.txt"),
        call("bash", command="cat key.txt; echo guarded=$GUARDED"),
        say("Wel."),
    ]
    with AnthropicServer(steps) as server:
        shop.url = server.url
        ran = shop.run("-p", "hallo", *_MODEL)
        assert (ran.code, ran.out) == (0, "Well.\n"), ran.err
        return [body.decode() if isinstance(body, bytes) else body for body in server.bodies]


@requirement("addons.tier2.wasm-real")
def test_addons_of_every_tier_change_one_session_and_each_is_named(mixed: Shop) -> None:
    bodies = _session(mixed)
    assert '"hello"' in bodies[0]
    assert json.loads(bodies[0])["max_tokens"] == 1_024
    assert "characters left out" in bodies[2]
    assert "the key is [gone]" in bodies[2]
    assert "guarded=1" in bodies[2]
    assert "sk-0123456789abcdef" not in "".join(bodies)
    hooks = {(row["by"], row["point"], row["decision"]) for row in mixed.of("hook")}
    assert hooks == {
        ("user:guard", "pre-tool", "rewrite"),
        ("user:guard", "shell-environment", "rewrite"),
        ("user:guard", "post-tool", "rewrite"),
    }
    assert {row["by"] for row in mixed.of("amendment")} == {"user:wordy", "user:budgeter"}
    assert [row.get("rewritten_by") for row in mixed.of("intent")] == ["user:guard", None]
    assert mixed.replays()
    found = {"hello": "wordy", "characters left out": "budgeter", "[gone]": "guard"}
    for text, addon in found.items():
        assert f"user:{addon}" in mixed.why(text), text


def test_it_opens_replays_and_goes_on_where_none_of_them_is_installed(
    mixed: Shop, tmp_path: Path
) -> None:
    _session(mixed)
    (tmp_path / "bare").mkdir()
    bare = Shop(tmp_path / "bare")
    for name in ("sessions", "blobs"):
        shutil.copytree(mixed.indus / name, bare.indus / name)
    shutil.rmtree(mixed.indus / "addons")
    [session] = [log.stem for log in bare.logs()]
    assert json.loads(bare.run("addon", "list", "--json").out) == []
    assert bare.run("replay", session).code == 0
    for text, addon in {"hello": "wordy", "[gone]": "guard"}.items():
        assert f"user:{addon}" in bare.run("why", session, "--find", text).out, text
    model = bare.script(answer("This was said before.") * 3 + answer("Here I am."))
    ran = bare.run("-p", "and now?", "-r", session, "-m", model, cwd=mixed.work)
    assert (ran.code, ran.out) == (0, "Here I am.\n"), ran.err
    assert bare.run("replay", session).code == 0
