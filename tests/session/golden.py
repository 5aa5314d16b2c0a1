"""Writes the golden logs, which every later version must open and replay.

`log-v1.jsonl` is of format version 1, with every kind of entry; `encoder-NAME.jsonl` has requests
of one released encoder. Run as `python -m tests.session.golden` to write those that are missing; a
name (`log-v1`, `encoder-neutral-1`) is written anew, which is right only before its release: from
then on a difference is a break, and a new version gets a golden of its own.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from induscode.gateway import encoders
from induscode.gateway.encoders import encoder_for
from induscode.kernel.content import Image, Text, Thinking
from induscode.session.blobs import BlobStore
from induscode.session.entries import Input, Request, Response
from induscode.session.log import read_only
from induscode.session.projection import Projection
from induscode.session.storing import store_said
from tests.session.recording import Recording, call, reopen
from tests.session.samples import everything, foreign_line

GOLDENS = Path(__file__).resolve().parents[1] / "goldens"
LOG = GOLDENS / "log-v1.jsonl"
BLOBS = GOLDENS / "blobs"
REQUESTS = GOLDENS / "log-v1.requests.json"


def record(home: Path) -> Path:
    """Every kind of entry, then one of an addon that is gone, seen by the last request."""
    it = everything(home)
    it.log.close()
    for kind, visible in (("weather", True), ("bookkeeping", False)):
        line = foreign_line(it.path, kind=kind, visible=visible, text="It rains.")
        with it.path.open("ab") as file:
            file.write(line)
    it.log, _ = reopen(it.path)
    it.follow()
    it.choose("m-1")
    it.say("and now?")
    it.ask("It rains.")
    it.log.close()
    return it.path


def requests(log: Path, blobs: Path) -> list[dict[str, Any]]:
    """What each request showed the model, in the neutral form."""
    projection = Projection(BlobStore(blobs))
    shown: list[dict[str, Any]] = []
    for entry in read_only(log).entries:
        if isinstance(entry, Request):
            neutral = encoder_for("neutral/1")
            assert neutral is not None
            body = neutral.encode(projection.request(entry.purpose))
            shown.append({"request": entry.id, "body": json.loads(body.data)})
        projection.add(entry)
    return shown


def record_encoder(home: Path, version: str) -> Path:
    """A short conversation with all that an encoder meets: prompt, tools, a picture, thinking,
    calls with odd ids, results, an answer of another model, a parameter changed."""
    wire = version.split("/", 1)[0]
    it = Recording(home, golden_name(version))
    it.start(model="m-1", wire=wire)
    it.brief(role="You are terse.", rules="Never push.")
    it.offer("read", "bash")
    picture = Image("image/png", b"\x89PNG\r\n\x1a\n")
    it.add(Input(store_said([Text("look: 1.50 é"), picture], it.blobs)), by="user")
    it.answer(
        it.request(version), Thinking("hm", "c2lnbmVk"), "So.", call("a b", "read"), call("a b")
    )
    asked = next(e for e in reversed(it.log.entries) if isinstance(e, Response))
    it.result(asked, 3, "", outcome="error")
    it.result(asked, 2, "content of a")
    it.note("a file changed")
    it.answer(it.request(version), "Done.")
    it.choose("m-2", "another", max_output=50)
    it.say("on")
    it.answer(it.request(version), Thinking("of another"), "Yes.")
    it.choose("m-1", wire, thinking="low", max_output=9000)
    it.say("and on")
    it.answer(it.request(version), "End.")
    it.log.close()
    return it.path


def golden_name(version: str) -> str:
    return f"encoder-{version.replace('/', '-')}"


def released() -> list[str]:
    return sorted(encoders._RELEASED)


def write(path: Path, home: Path) -> None:
    shutil.copyfile(path, GOLDENS / path.name)
    shutil.copytree(home / "blobs", BLOBS, dirs_exist_ok=True)
    sys.stdout.write(f"wrote {path.name}\n")


def main(named: list[str]) -> None:
    for version in released():
        name = golden_name(version)
        if name in named or not (GOLDENS / f"{name}.jsonl").exists():
            with tempfile.TemporaryDirectory() as home:
                write(record_encoder(Path(home), version), Path(home))
    if "log-v1" in named or not LOG.exists():
        with tempfile.TemporaryDirectory() as home:
            made = record(Path(home))
            write(made.rename(made.with_name(LOG.name)), Path(home))
        shown = json.dumps(requests(LOG, BLOBS), indent=1, ensure_ascii=False)
        REQUESTS.write_text(shown + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
