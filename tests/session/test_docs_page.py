"""The format's page: its examples run, and its tables name every type and every field."""

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from induscode.session import bridged
from induscode.session import entries as kinds
from induscode.session.entries import Input, KnownEntry, Request
from induscode.session.line import LINE_LIMIT, NESTING_LIMIT
from induscode.session.log import read_only
from induscode.session.storing import INLINE_LIMIT
from induscode.session.tree import path_to
from tests.requirements import requirement
from tests.session.damage import lines, zeroed
from tests.session.golden import LOG
from tests.session.recording import Recording
from tests.session.samples import small

PAGE = LOG.parents[2] / "docs" / "session-log.md"
TEXT = PAGE.read_text(encoding="utf-8")
HEADER = {"seq", "id", "parent", "at", "by"}


def block(language: str) -> str:
    (found,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return found


def read_by_the_page(script: Path, log: Path) -> list[list[str]]:
    run = subprocess.run(
        [sys.executable, script, log], capture_output=True, text=True, check=True, timeout=20
    )
    return [row.split() for row in run.stdout.splitlines()]


def read_by_us(log: Path) -> list[list[str]]:
    found = read_only(log).entries
    types = {e["id"]: e["type"] for e in map(json.loads, good(log))}
    return [[str(e.seq), e.id, types[e.id]] for e in path_to(found, len(found) - 1)]


def good(log: Path) -> list[bytes]:
    return [line for line in lines(log) if line.startswith(b"{") and b"\0" not in line]


@requirement("log.format-version")
def test_the_reader_on_the_page_agrees_with_ours(quick_home: Path):
    script = quick_home / "reader.py"
    script.write_text(block("python"), encoding="utf-8")
    assert read_by_the_page(script, LOG) == read_by_us(LOG)
    it = branched(quick_home)
    assert read_by_the_page(script, it.path) == read_by_us(it.path)
    hurt = quick_home / "hurt.jsonl"
    data = small(quick_home / "s").path.read_bytes()
    for offset in range(0, len(data), 997):
        hurt.write_bytes(zeroed(data, offset, 64) + b'{"torn')
        assert read_by_the_page(script, hurt) == read_by_us(hurt)


def branched(home: Path) -> Recording:
    it = Recording(home, "branched")
    it.start()
    root = it.log.head
    it.say("left")
    it.log.branch(root)
    it.say("kept")
    return it


def test_the_shell_lines_on_the_page_work(jq: str):
    script = re.sub(r"^#.*$", "echo ---", block("sh"), flags=re.MULTILINE)
    run = subprocess.run(
        ["bash", "-ec", script],
        env={"LOG": str(LOG), "PATH": f"{Path(jq).parent}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    _, said, digests, producers, total = run.stdout.split("---\n")
    found = read_only(LOG).entries
    inputs = [entry for entry in found if isinstance(entry, Input)]
    assert said.splitlines() == [b.text for e in inputs for b in e.content if hasattr(b, "text")]
    assert digests.split() == [e.body_sha256 for e in found if isinstance(e, Request)]
    assert sum(int(row.split()[0]) for row in producers.splitlines()) == len(found)
    assert total == json.loads(lines(LOG)[0])["sum"]


@pytest.mark.parametrize("kind", KnownEntry.__args__, ids=lambda kind: kind.__name__)
def test_the_table_names_every_field_of_every_type(kind: type[msgspec.Struct]):
    row = row_of(str(kind.__struct_config__.tag))
    for name in set(kind.__struct_fields__) - HEADER:
        assert f"`{name}`" in row, name
    assert {name for name in HEADER if f"| `{name}` |" not in TEXT} == set()


def row_of(tag: str) -> str:
    (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| `{tag}` |")]
    return row


@pytest.mark.parametrize(
    ("tag", "part"),
    [
        ("install", kinds.InstalledFeature),
        ("briefing", kinds.StoredSpan),
        ("bridge", bridged.BridgedTool),
        ("bridge", bridged.GoneTool),
        ("toolset", kinds.ToolRow),
        ("amendment", kinds.Operation),
    ],
)
def test_the_table_names_the_fields_of_what_stands_inside(tag: str, part: type[msgspec.Struct]):
    row = row_of(tag)
    for name in part.__struct_fields__:
        assert re.search(rf"\b{name}\b", row), name


def test_the_page_names_the_limits_as_they_are():
    assert f"at most {LINE_LIMIT >> 20} MiB\nlong" in TEXT.replace(" MiB long", " MiB\nlong")
    assert f"at most {NESTING_LIMIT} levels" in TEXT
    assert f"over {INLINE_LIMIT >> 10} KiB" in TEXT


def test_the_example_line_is_one_that_could_stand_in_a_log():
    example = json.loads(block("json"))
    real = next(json.loads(row) for row in lines(LOG) if json.loads(row)["type"] == "input")
    assert set(example) == set(real)
    assert list(example)[-1] == "sum"
