"""What an addon may have run and reach: the same verdict at every door, and its walls in a real
session."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.addons.session.house import House, spoken
from tests.addons.session.misdeeds import OWN, WRITE, installed, left
from tests.cli.home import CANARY, answer
from tests.requirements import requirement

DOORS = {"by-gate", "by-observer", "by-enter", "by-tool", "by-task"}


@pytest.fixture
def doors(house: House) -> House:
    installed(house, _alone(house, "doors"))
    return house


def _alone(house: House, name: str) -> Path:
    place = house.root / "src" / f"{name}.py"
    place.parent.mkdir()
    shutil.copy(OWN / f"{name}.py", place)
    return place


def _made(house: House) -> set[str]:
    return {place.name for place in house.work.glob("by-*")}


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (("--mode", "full"), DOORS),
        (("--mode", "full", "--deny", "bash(touch *)"), set[str]()),
        (("--mode", "plan"), set[str]()),
        ((), set[str]()),
        (("--allow", "bash(touch *)", "--allow", "write", "--allow", "reach"), DOORS),
    ],
    ids=["full", "denied by a rule", "plan", "nobody to ask", "allowed by a rule"],
)
def test_a_line_meets_the_same_verdict_at_every_door(
    doors: House, words: tuple[str, ...], made: set[str]
) -> None:
    ran = doors.ask(WRITE, ("reach", {}), words=words)
    assert ran.code in {0, 3}, ran.err
    assert _made(doors) == made, ran.err
    assert left(doors) == []


@pytest.mark.parametrize(
    ("words", "made"),
    [
        (("--mode", "full"), {"by-command"}),
        (("--mode", "full", "--deny", "bash(touch *)"), set[str]()),
        (("--mode", "plan"), set[str]()),
        ((), set[str]()),
    ],
    ids=["full", "denied by a rule", "plan", "nobody to ask"],
)
def test_a_command_of_an_addon_is_a_door_like_the_others(
    doors: House, words: tuple[str, ...], made: set[str]
) -> None:
    ran = doors.run("-p", "/reach", "-m", doors.script(""), *words)
    assert _made(doors) - {"by-task"} == made, ran
    assert not made or ran.code == 0
    assert left(doors) == []


@pytest.mark.parametrize(
    "words",
    [("--mode", "full", "--deny", "bash(touch *)"), ("--mode", "plan")],
    ids=["rule", "plan"],
)
def test_the_line_of_a_manifest_is_judged_the_same(house: House, words: tuple[str, ...]) -> None:
    house.addon("doors", 'id = "doors"\n[[command]]\nname = "reach"\nexec = "touch by-exec"\n')
    house.trust()
    ran = house.run("-p", "/reach", "-m", house.script(""), *words)
    assert "/reach of project:doors was refused" in ran.err
    assert _made(house) == set()


@requirement("addons.sandbox.deny-by-default")
def test_a_program_reaches_nothing_that_is_not_its_own(house: House) -> None:
    secret = house.root / ".ssh" / "id_ed25519"
    secret.parent.mkdir()
    secret.write_text("a private key")
    (house.work / "notes.txt").write_text("of the workspace")
    installed(house, _alone(house, "reach"))
    unix = house.root / "listening"
    with (
        subprocess.Popen(["sleep", "60"]) as victim,
        socket.socket() as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.socket(socket.AF_UNIX) as local,
    ):
        try:
            tcp.bind(("127.0.0.1", 0))
            udp.bind(("127.0.0.1", 0))
            local.bind(str(unix))
            for each in (tcp, local):
                each.listen()
            tried: list[list[Any]] = [
                ["read", str(secret)],
                ["read", str(house.work / "notes.txt")],
                ["list", str(house.indus)],
                ["read", f"/proc/{victim.pid}/environ"],
                ["write", str(house.work / "made.txt")],
                ["write", str(house.root / ".bashrc")],
                ["write", str(house.indus / "config.toml")],
                ["kill", victim.pid],
                ["trace", victim.pid],
                ["connect", "AF_INET", "SOCK_STREAM", list(tcp.getsockname())],
                ["connect", "AF_INET", "SOCK_DGRAM", list(udp.getsockname())],
                ["connect", "AF_UNIX", "SOCK_STREAM", str(unix)],
            ]
            model = house.script(
                answer("", ("reach", {"tried": [*tried, ["environs", CANARY]]})) + answer("Done.")
            )
            ran = house.run("-p", "go on", "-m", model, "--mode", "full")
            assert victim.poll() is None
        finally:
            victim.kill()
    assert (ran.code, ran.out) == (0, "Done.\n"), ran.err
    [result] = house.of("result")
    *found, environs = json.loads(spoken(result))
    assert [each for each in zip(tried, found, strict=True) if "refused" not in str(each[1])] == []
    assert environs in ([], {"refused": 13}), "the key of the host"
    assert not (house.work / "made.txt").exists()
    assert not (house.root / ".bashrc").exists()
