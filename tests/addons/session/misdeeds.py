"""Bad addons, put into a home as a person would do it, and what is left of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.addons.session.house import House, spoken
from tests.cli.home import Ran, answer
from tests.tools.processes.escapes import alive

PROGRAMS = Path(__file__).parents[1] / "process" / "bad"
HOSTILE = Path(__file__).parents[1] / "wasm" / "guests" / "hostile.wasm"
OWN = Path(__file__).parent / "bad"
WRITE = ("write", {"path": "made.txt", "content": "x"})
PATIENCE = 100.0
"""Some of these keep a session waiting for the whole half minute that a hook has."""


def program(house: House, name: str, **files: str) -> Path:
    """A package whose program is this bad one."""
    folder = house.root / "src" / name
    folder.mkdir(parents=True)
    shutil.copy(_bad(name), folder / "index.py")
    shutil.copy(PROGRAMS / "speech.py", folder)
    for stem, text in files.items():
        (folder / f"{stem}.txt").write_text(text)
    return folder


def turning(house: House, name: str) -> Path:
    """A package that is looked at without a complaint, and is this bad one in a session."""
    folder = program(house, "later")
    shutil.copy(_bad(name), folder / "deed.py")
    return folder


def _bad(name: str) -> Path:
    own = OWN / f"{name}.py"
    return own if own.exists() else PROGRAMS / f"{name}.py"


def installed(house: House, path: Path) -> None:
    ran = house.run("addon", "install", str(path), "--yes")
    assert ran.code == 0, ran.err


def went_on(house: House, *calls: tuple[str, Mapping[str, Any]]) -> Ran:
    """A turn in which the model makes these calls, with as much patience as it takes. The session
    is complete then: the log replays, and nothing of the addon is there any more."""
    model = house.script(answer("", *(calls or (WRITE,))) + answer("Done."))
    words = ("-p", "go on", "-m", model, "--mode", "full")
    done = subprocess.run(
        [sys.executable, "-m", "induscode", *words],
        cwd=house.work, env=house.environ(), stdin=subprocess.DEVNULL, capture_output=True,
        timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert left(house) == []
    assert house.replays()
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def left(house: House) -> list[int]:
    """Whatever of this home still runs: its programs are started by their path in it."""
    return alive(f"{house.root}/")


def denied(house: House) -> list[str]:
    """The reasons why calls of the last session were denied, each by the bad addon."""
    results = house.of("result", outcome="denied")
    assert {row["by"] for row in results} <= {"user:bad"}
    return [spoken(row) for row in results]


def component(house: House, **register: object) -> Path:
    """The hostile guest, which does one bad thing for each place in its list of events, with
    another registration written over its own."""
    data = HOSTILE.read_bytes()
    begin = data.index(b'{"id": "hostile"')
    end = data.index(b'"type": "object"}}]}', begin) + 20
    text = json.dumps({"id": "bad", **register}, separators=(",", ":")).encode()
    assert len(text) <= end - begin
    place = house.root / "bad.wasm"
    place.write_bytes(data[:begin] + text.ljust(end - begin) + data[end:])
    return place


def gate_at(place: int) -> list[dict[str, str]]:
    """Events whose only one that fires has this place."""
    unheard = {"event": "compact:build", "kind": "gate"}
    return [*[unheard] * place, {"event": "tool:before", "kind": "gate"}]
