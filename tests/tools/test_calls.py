"""Calls of the native tools as the gate sees them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from induscode.policy.subject import Access, CommandSubject, NoSubject, PathSubject
from tests.tools.conftest import Bench


def test_a_path_is_judged_where_it_leads(bench: Bench) -> None:
    bench.file("real", "x")
    (bench.cwd / "link").symlink_to("real")

    assert bench.view("read", {"path": "link"}).subject == PathSubject(
        bench.cwd / "real", bench.cwd / "link", Access.READ
    )
    for tool in ("write", "edit"):
        subject = bench.view(tool, {"path": "../x"}).subject
        assert isinstance(subject, PathSubject)
        assert (subject.path, subject.access) == (bench.cwd.parent / "x", Access.WRITE)


def test_a_command_is_judged_in_its_directory(bench: Bench) -> None:
    bench.file("sub/a", "x")

    subject = bench.view("bash", {"command": "cat a", "cwd": "sub"}).subject

    assert isinstance(subject, CommandSubject)
    assert (subject.command, subject.cwd) == ("cat a", bench.cwd / "sub")
    assert bench.cwd / "sub" / "a" in subject.paths


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {}),
        ("read", {"path": 1}),
        ("read", {"path": ""}),
        ("write", {"path": "a\0"}),
        ("bash", {}),
        ("bash", {"command": ["ls"]}),
        ("bash", {"command": "ls", "cwd": 1}),
        ("bash", {"command": "ls", "cwd": "a\0"}),
    ],
)
def test_arguments_that_name_nothing_have_no_subject(
    bench: Bench, tool: str, arguments: dict[str, object]
) -> None:
    assert bench.view(tool, arguments).subject == NoSubject()


def test_heavy_libraries_wait_until_they_are_used() -> None:
    program = (
        "import sys, induscode.capability_deck.catalog, induscode.tools.local_shell;"
        "print(sorted({'difflib', 'jsonschema_rs', 'tempfile'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
