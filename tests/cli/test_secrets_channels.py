"""The same in the channels that stay open, and for programs that look into our process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from tests.channels.place import Place
from tests.channels.pty_talk import CTRL_D, PtyTalk
from tests.channels.rpc_client import RpcClient
from tests.cli.home import BOUND, CANARY, Home
from tests.cli.test_secrets import HALF, MARK, leaks
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, say

linux = pytest.mark.skipif(sys.platform != "linux", reason="the way of Linux")


class KeyedPlace(Place):
    """A place whose environment has the key and the address of a fake provider."""

    def __init__(self, root: Path, url: str) -> None:
        super().__init__(root)
        self._url = url

    @property
    def environ(self) -> dict[str, str]:
        return super().environ | {"ANTHROPIC_API_KEY": CANARY, "ANTHROPIC_BASE_URL": self._url}


STEPS = [
    call("bash", command="cat notes"),
    say(f"It is {CANARY}.", thinking=f"hm {CANARY}", chunk=4),
    say("again"),
]


def test_over_rpc_no_line_has_the_key(tmp_path: Path) -> None:
    with AnthropicServer(list(STEPS)) as server:
        place = KeyedPlace(tmp_path, server.url)
        (place.workspace / "notes").write_text(CANARY)
        with RpcClient(place, "--mode", "full") as client:
            client.call("initialize")
            done = client.result("submit", text=f"what is {CANARY}?")
            assert done["text"] == f"It is {MARK}."
            client.call(f"no_{CANARY}")
            client.call("resume", session=CANARY)
            client.call("approve", id=CANARY, choice="once")
            client.call("snapshot")
            client.call("shutdown")
            client.ends_with()
            said = b"".join(client.lines).decode() + client.errors_said()
        assert CANARY.encode() not in b"".join(server.bodies)
    assert CANARY not in said
    assert MARK in said
    assert leaks(tmp_path) == [place.workspace / "notes"]
    assert place.replays()


def test_at_the_line_prompt_what_is_typed_is_kept_without_the_key(tmp_path: Path) -> None:
    with AnthropicServer([*STEPS, say("more")]) as server:
        place = KeyedPlace(tmp_path, server.url)
        (place.workspace / "notes").write_text(CANARY)
        with PtyTalk(place, "--plain", "--mode", "full", f"first {CANARY}") as talk:
            talk.wait_for("was redacted")
            talk.wait_for(f"It is {MARK}.")
            talk.wait_for("> ")
            shown = talk.screen
            talk.say(f"and {CANARY} too")
            talk.wait_for("again")
            talk.wait_for("> ")
            talk.type(CTRL_D)
            assert talk.ends_with() == 0
        assert CANARY.encode() not in b"".join(server.bodies)
    assert CANARY not in shown  # before somebody typed it on this screen
    assert f"and {MARK} too" in (place.home / "history").read_text()
    assert leaks(tmp_path) == [place.workspace / "notes"]
    assert place.replays()


PEEK = """\
python3 - "$PPID" <<'END'
import glob, sys
ours = f"/proc/{sys.argv[1]}"
while b"-m\\0induscode\\0" not in open(f"{ours}/cmdline", "rb").read():
    above = open(f"{ours}/stat").read().rpartition(")")[2].split()[1]
    ours = f"/proc/{above}"
for name in (f"{ours}/environ", *glob.glob("/proc/[0-9]*/environ")):
    try:
        print(open(name, "rb").read()[::-1].replace(b"\\0", b" "))
    except OSError:
        print("refused", name.replace(ours, "our"))
try:
    open(f"{ours}/maps").read()
    open(f"{ours}/mem", "rb").close()
except OSError:
    print("refused our/memory")
END
"""


def peeked(home: Home, *before: str) -> str:
    """What a command sees that looks into us, spelled so that no redaction hides it."""
    home.key = f"sk-own-{uuid4().hex}"  # others on this machine may use the usual one
    (home.work / "peek.sh").write_text(PEEK)
    with AnthropicServer([call("bash", command=". ./peek.sh"), say("ok")]) as server:
        home.url = server.url
        done = subprocess.run(
            [*before, sys.executable, "-m", "induscode", "-p", "go", "--mode", "full", "--json"],
            cwd=home.work,
            env=home.environ(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=BOUND,
            check=False,
        )
        assert server.requests[0].headers["x-api-key"] == home.key
    assert done.returncode == 0, done.stderr.decode()
    said = done.stdout.decode()
    assert "HTAP" in said
    return said


@linux
def test_a_command_cannot_read_the_key_from_our_first_environment(home: Home) -> None:
    said = peeked(home)
    if os.geteuid() == 0:  # nothing refuses root: what it reads there must be empty
        assert "refused our/environ" not in said
    assert home.key[::-1] not in said
    assert home.key not in said


@linux
def test_a_command_without_the_powers_of_root_cannot_look_into_our_process(home: Home) -> None:
    powerless = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()
    said = peeked(home, *powerless)
    assert "refused our/environ" in said
    assert "refused our/memory" in said
    assert home.key[::-1] not in said


@linux
def test_a_value_that_is_split_over_the_pieces_of_an_output_is_still_one(home: Home) -> None:
    command = f"printf {CANARY[:HALF]}; sleep 0.2; printf {CANARY[HALF:]}"
    with AnthropicServer([call("bash", command=command), say("ok")]) as server:
        home.url = server.url
        ran = home.run("-p", "go", "--mode", "full", "--json")
    told = [e["text"] for e in ran.events if e["type"] in {"tool_update", "tool_end"}]
    assert told[-1].strip() == MARK
    assert CANARY not in ran.out
