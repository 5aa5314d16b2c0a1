"""The built-in tools as a host meets them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

import induscode.tools
from induscode.errors import HostError
from induscode.kernel.jsontext import encode
from induscode.kernel.tool import ToolKind
from induscode.policy.subject import Access, CommandSubject, NoSubject, PathSubject
from induscode.tools.builtin import FILES, SHELL, builtin_tools, feature_digest
from tests.tools.conftest import Bench


def test_the_list_of_tools_with_their_kind_and_feature() -> None:
    assert [(b.tool.name, b.kind, b.feature, b.tool.read_only) for b in builtin_tools()] == [
        ("read", ToolKind.READ, FILES, True),
        ("ls", ToolKind.READ, FILES, True),
        ("write", ToolKind.WRITE, FILES, False),
        ("edit", ToolKind.WRITE, FILES, False),
        ("bash", ToolKind.SHELL, SHELL, False),
    ]


def test_definitions_are_short() -> None:
    size = sum(
        len(encode([b.tool.name, b.tool.description, b.tool.parameters])) for b in builtin_tools()
    )

    assert size < 2_500


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


def test_a_digest_covers_the_sources_of_its_feature() -> None:
    digests = {feature_digest(FILES), feature_digest(SHELL)}

    assert len(digests) == 2
    assert all(len(digest) == hashlib.sha256().digest_size * 2 for digest in digests)
    with pytest.raises(HostError, match="builtin:nothing"):
        feature_digest("builtin:nothing")


def test_every_source_of_the_package_belongs_to_a_feature() -> None:
    folder = Path(induscode.tools.__file__).parent
    covered = {
        name
        for sources in sys.modules["induscode.tools.builtin"]._SOURCES.values()
        for name in sources
    }

    assert {path.name for path in folder.glob("*.py")} - covered == {"__init__.py"}


def test_heavy_libraries_wait_until_they_are_used() -> None:
    program = (
        "import sys, induscode.tools.builtin, induscode.tools.local_shell;"
        "print(sorted({'difflib', 'jsonschema_rs', 'tempfile'} & set(sys.modules)))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == "[]"
