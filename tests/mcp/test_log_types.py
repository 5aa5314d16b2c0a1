"""One session in which everything happens that the log has a type for."""

from __future__ import annotations

import json
from pathlib import Path

from tests.channels.rpc_client import RpcClient
from tests.cli.home import answer
from tests.mcp.harbour import BOUND, Harbour, Talk, served, tool, until
from tests.requirements import requirement
from tests.session.damage import zeroed

TYPES = {
    *("session", "input", "briefing", "toolset", "install", "bridge", "request", "response"),
    *("intent", "result", "hook", "amendment", "notice", "checkpoint", "compaction", "mode"),
    *("model", "approval", "interrupted", "quarantine"),
}
ADDON = """\
id = "wordy"
version = "1.0.0"
[[capability]]
name = "scoped-fs(execute)"
reason = "to run sed"
[[gate]]
event = "tool:before"
match-tool = "ls"
reason = "not here"
[[hook]]
event = "input:submit"
kind = "transform"
command = ["sed", "s/go/went/"]
"""
HANGS = {"command": "touch begun; sleep 60"}


def _approved(talk: Talk) -> None:
    turn = talk.send("submit", text="go on")
    asked = talk.event("approval")
    talk.result("approve", id=asked["id"], choice="once")
    assert talk.answer(turn)["result"]["exit"] == 0


def _types(log: Path) -> set[str]:
    lines = [line for line in log.read_bytes().splitlines() if b"\0" not in line]
    return {json.loads(line)["type"] for line in lines}


@requirement("log.types")
def test_each_type_of_the_list_is_written_where_it_happens(home: Harbour) -> None:
    folder = home.root / "wordy"
    folder.mkdir()
    (folder / "manifest.toml").write_text(ADDON)
    assert home.run("addon", "install", str(folder), "--yes").code == 0
    server = home.server("srv", tool("a"))
    home.configure(server)
    inside, outside = (("write", {"path": f"{p}.txt", "content": "x"}) for p in ("a", "../b"))
    turn = [[inside, outside], [("ls", {}), ("srv__a", {})]]
    with home.talk(turn, [[("bash", HANGS)]]) as talk:
        home.met(server)
        _approved(talk)
        talk.send("submit", text="go on")
        until((home.work / "begun").exists, "the command runs")
        talk.process.kill()
        talk.process.wait(BOUND)
    [log] = home.logs()
    before = _types(log)
    place = log.read_bytes().index(b'"type":"hook"')
    log.write_bytes(zeroed(log.read_bytes(), place, 20))
    with RpcClient(served(home), "-c", "-m", home.script(answer("So it was.") * 20)) as talk:
        assert talk.result("continue")["exit"] == 0
        assert talk.result("compact")["compacted"]
    assert before | _types(log) >= TYPES
