"""What a program of an addon reaches is what was granted, and nothing else; where this machine
cannot hold it to that, the person is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from induscode.addons.process import addon as process_addon
from induscode.kernel.events import Alert
from induscode.sdk import Agent
from tests.addons.session.house import House, spoken
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.cli.home import answer
from tests.requirements import requirement

_EXPLORER = Path(__file__).with_name("explorer.py")
_CALL = ("explore", {})
_TOOL = "contribute-tool(explore)"
_NO = "PermissionError"


@pytest.mark.parametrize(
    ("granted", "reaches"),
    [
        pytest.param([], f"None, {_NO}, {_NO}", id="nothing"),
        pytest.param(["inherit-environment(FLAVOUR)"], f"vanilla, {_NO}, {_NO}", id="a-variable"),
        pytest.param(["scoped-fs(read)"], f"None, remember, {_NO}", id="reading"),
        pytest.param(["scoped-fs(read, write)"], "None, remember, written", id="writing"),
    ],
)
@requirement("addons.sandbox.deny-by-default")
def test_it_reaches_what_was_granted(house: House, granted: list[str], reaches: str) -> None:
    house.extra["FLAVOUR"] = "vanilla"
    (house.work / "notes.txt").write_text("remember")
    words = [word for one in (_TOOL, *granted) for word in ("--grant", one)]
    installed = house.run("addon", "install", str(_EXPLORER), *words)
    assert installed.code == 0, installed.err
    house.ask(_CALL, words=("--mode", "full"))
    [result] = house.of("result")
    assert spoken(result) == reaches


@requirement("invariant.06.withdrawn-while-running")
def test_what_its_program_was_started_with_is_withdrawn_and_nothing_of_it_is_asked_any_more(
    house: House,
) -> None:
    (house.work / "notes.txt").write_text("remember")
    house.run("addon", "install", str(_EXPLORER), "--yes")
    place = Place.__new__(Place)
    place.workspace, place.home = house.work, house.indus
    model = house.script((answer("", _CALL) + answer("Done.")) * 2)
    with RpcClient(place, "-m", model, "--mode", "full") as client:
        client.result("initialize", client="a test")
        client.result("submit", text="explore")
        gone = house.run("grants", "withdraw", "user:explorer", "scoped-fs(read)")
        assert gone.code == 0, gone.err
        client.result("submit", text="explore again")
    first, second = house.of("result")
    assert "remember" in spoken(first)
    assert second["outcome"] == "denied"
    assert "scoped-fs(read)" in spoken(second)


def test_where_it_cannot_be_confined_the_person_is_told_once(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.run("addon", "install", str(_EXPLORER), "--yes")
    monkeypatch.setattr(process_addon, "told_of", lambda _reach, _walls: "It could do anything.")
    model = house.script(answer("", _CALL) + answer("Done.", _CALL) + answer("Done."))

    async def told() -> list[str]:
        environ = house.environ()
        agent = Agent(model, cwd=house.work, home=house.indus, environ=environ, mode="full")
        async with agent:
            return [
                event.text
                for text in ("first", "second")
                async for event in agent.run(text)
                if isinstance(event, Alert)
            ]

    assert asyncio.run(told()) == ["user:explorer: It could do anything."]
