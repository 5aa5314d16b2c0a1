"""Commands in the shapes in which people keep them, and what becomes of each."""

import codecs
from pathlib import Path

import pytest
from msgspec import Struct

from induscode.briefing.contract import MacroOrigin
from induscode.briefing.files import DiskFiles
from induscode.briefing.macro_files import MACRO_BYTES, MacroLoad, MacroRoot, discover_macros


class Shape(Struct, frozen=True):
    """A file, and the macro that users would expect of it."""

    text: str | bytes
    description: str = "Do it. (project)"
    body: str = "Do $1."
    line: int = 4
    hint: str = ""
    tools: tuple[str, ...] | None = None
    model: str = ""
    told: str = ""


HEAD = "---\ndescription: Do it.\n---\n"
SHAPES = {
    "plain": Shape("---\ndescription: Do it.\n---\nDo $1.\n"),
    "double quotes": Shape('---\ndescription: "Do it."\n---\nDo $1.\n'),
    "single quotes": Shape("---\ndescription: 'Do it.'\n---\nDo $1.\n"),
    "quotes within": Shape("---\ndescription: 'Do \"it\".'\n---\nDo $1.", 'Do "it". (project)'),
    "a doubled quote": Shape("---\ndescription: 'Don''t.'\n---\nDo $1.", "Don't. (project)"),
    "an escape": Shape('---\ndescription: "Do\\u0020it."\n---\nDo $1.'),
    "a colon": Shape("---\ndescription: Do: it\n---\nDo $1.", "Do: it (project)"),
    "a number sign": Shape("---\ndescription: Fix #1 now\n---\nDo $1.", "Fix #1 now (project)"),
    "a number": Shape("---\ndescription: 12\n---\nDo $1.", "12 (project)"),
    "brackets": Shape("---\ndescription: [WIP] Do\n---\nDo $1.", "[WIP] Do (project)"),
    "folded": Shape("---\ndescription: >\n  Do\n  it.\n---\nDo $1.", line=6),
    "literal": Shape("---\ndescription: |\n  Do\n  it.\n---\nDo $1.", line=6),
    "continued": Shape("---\ndescription: Do\n  it.\n---\nDo $1.", line=5),
    "CRLF": Shape(b"---\r\ndescription: Do it.\r\n---\r\n\r\nDo $1.\r\n", line=5),
    "BOM": Shape(codecs.BOM_UTF8 + b"---\ndescription: Do it.\n---\nDo $1.\n"),
    "blanks after a fence": Shape("--- \ndescription: Do it.\n---\t\nDo $1.\n"),
    "no front matter": Shape("# Do it.\n\nDo $1.\n", "# Do it.", "# Do it.\n\nDo $1.", 1),
    "blank lines first": Shape("\n\nDo $1.", "Do $1.", line=3),
    "an indented start": Shape("    Do $1.", "Do $1.", "    Do $1.", 1),
    "empty front matter": Shape("---\n---\nDo $1.", "Do $1.", line=3),
    "comments": Shape("---\n# mine\n\ndescription: Do it.\n---\nDo $1.", line=6),
    "a rule in the body": Shape(
        "---\ndescription: Do it.\n---\nDo $1.\n---\nmore\n---\n", body="Do $1.\n---\nmore\n---"
    ),
    "tabs": Shape("---\ndescription:\tDo it.\n---\n\tDo $1.\n", body="\tDo $1."),
    "unknown keys": Shape(
        "---\nname: other\ndescription: Do it.\ncolor: [a, b]\ndisable-model-invocation: true\n"
        "---\nDo $1.",
        line=7,
    ),
    "tools in a line": Shape(
        "---\ndescription: Do it.\nallowed-tools: Read, Bash(git add *), Bash(git diff:*)\n"
        "---\nDo $1.",
        line=5,
        tools=("Read", "Bash(git add *)", "Bash(git diff:*)"),
    ),
    "tools in brackets": Shape(
        '---\ndescription: Do it.\nallowed-tools: [Read, "Bash(git add *)"]\n---\nDo $1.',
        line=5,
        tools=("Read", "Bash(git add *)"),
    ),
    "tools in a list": Shape(
        "---\ndescription: Do it.\nallowed-tools:\n- Read\n- Bash(npm run *)\n- Read\n---\nDo $1.",
        line=8,
        tools=("Read", "Bash(npm run *)"),
    ),
    "tools beside what is not YAML": Shape(
        "---\ndescription: Do: it\nallowed-tools:\n  - Read\n---\nDo $1.",
        "Do: it (project)",
        line=6,
        tools=("Read",),
    ),
    "a pattern with a colon and a space": Shape(
        "---\ndescription: Do it.\nallowed-tools: Bash(git: *)\n---\nDo $1.",
        line=5,
        tools=("Bash(git: *)",),
    ),
    "no tools": Shape("---\ndescription: Do it.\nallowed-tools:\n---\nDo $1.", line=5, tools=()),
    "no tools in brackets": Shape(
        "---\ndescription: Do it.\nallowed-tools: []\n---\nDo $1.", line=5, tools=()
    ),
    "all tools": Shape("---\ndescription: Do it.\nallowed-tools: *\n---\nDo $1.", line=5),
    "tools that are none": Shape(
        "---\ndescription: Do it.\nallowed-tools: {a: b}\n---\nDo $1.",
        line=5,
        tools=(),
        told="line 3: allowed-tools: it is no list of tools",
    ),
    "a tool that is none": Shape(
        "---\ndescription: Do it.\nallowed-tools:\n- Read\n- Bash(git: x)\n---\nDo $1.",
        line=7,
        tools=("Read",),
        told="line 3: allowed-tools: it is no list of tools",
    ),
    "a tool that is no YAML": Shape(
        "---\ndescription: Do it.\nallowed-tools:\n  - Read\n  - Bash(git: *)\n---\nDo $1.",
        line=7,
        tools=("Read", "Bash(git: *)"),
    ),
    "tools behind tabs": Shape(
        "---\ndescription: Do it.\nallowed-tools:\n\t- Read\n\t- Bash(ls *)\n---\nDo $1.",
        line=7,
        tools=("Read", "Bash(ls *)"),
    ),
    "tools that are lost": Shape(
        "---\ndescription: Do it.\nallowed-tools:\n  - Read\n}\n---\nDo $1.",
        line=7,
        tools=(),
        told="line 3: allowed-tools: it is no list of tools",
    ),
    "tools that cannot be found": Shape(
        "---\ndescription: Do it.\n  'allowed-tools': Read\n---\nDo $1.",
        line=5,
        tools=(),
        told="allowed-tools: it is no list of tools",
    ),
    "a hint": Shape(
        "---\ndescription: Do it.\nargument-hint: <file>\n---\nDo $1.", line=5, hint="<file>"
    ),
    "a hint in brackets": Shape(
        "---\ndescription: Do it.\nargument-hint: [file]\n---\nDo $1.", line=5, hint="[file]"
    ),
    "two hints in brackets": Shape(
        "---\ndescription: Do it.\nargument-hint: [file] [branch]\n---\nDo $1.",
        line=5,
        hint="[file] [branch]",
    ),
    "a list of hints": Shape(
        "---\ndescription: Do it.\nargument-hint:\n  - file\n  - 1\n---\nDo $1.",
        line=7,
        hint="[file] [1]",
    ),
    "a model": Shape(
        "---\ndescription: Do it.\nmodel: opus # the best\n---\nDo $1.", line=5, model="opus"
    ),
    "a model inherited": Shape("---\ndescription: Do it.\nmodel: inherit\n---\nDo $1.", line=5),
    "front matter that never ends": Shape(
        "---\nDo $1.", "---", "---\nDo $1.", 1, told="its first line opens front matter that no"
    ),
    "front matter that is a text": Shape(
        "---\nDo it.\n---\nDo $1.", "Do $1.", told="its front matter is not used: it has no fields"
    ),
    "invisible text": Shape(
        "---\ndescription: Do it.\n---\nDo $1.\u200b\u202e", body="Do $1.\u200b\u202e",
        told="it holds 2 invisible characters",
    ),
    "other scripts": Shape("---\ndescription: 実行 👩‍💻\n---\nDo $1.", "実行 👩‍💻 (project)"),
    "as large as it may be": Shape(
        HEAD + "x" * (MACRO_BYTES - len(HEAD)), body="x" * (MACRO_BYTES - len(HEAD))
    ),
}  # fmt: skip


def found(tmp_path: Path, data: str | bytes) -> MacroLoad:
    file = tmp_path / "it.md"
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    return discover_macros([MacroRoot(tmp_path, MacroOrigin.PROJECT)], DiskFiles())


@pytest.mark.parametrize("shape", SHAPES.values(), ids=list(SHAPES))
def test_a_command_in_the_wild_loads_as_its_author_meant(tmp_path: Path, shape: Shape) -> None:
    load = found(tmp_path, shape.text)
    (macro,) = load.macros
    assert macro.name == "it"
    assert macro.description == shape.description
    assert (macro.body, macro.line) == (shape.body, shape.line)
    assert (macro.hint, macro.allowed_tools, macro.model) == (shape.hint, shape.tools, shape.model)
    if shape.told:
        (fault,) = load.faults
        assert fault.startswith(f"{tmp_path}/it.md: ")
        assert shape.told in fault
    else:
        assert load.faults == ()


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("", "it says nothing"),
        ("\n \n", "it says nothing"),
        ("---\ndescription: Do it.\n---\n", "it says nothing"),
        (b"GIF89a\0\1\2", "it is no text"),
        ("Do it.".encode("utf-16"), "it is no text"),
        ("Do it.\ncafé".encode("latin-1"), "line 2 is not UTF-8; save it as UTF-8"),
        (b"x" * (MACRO_BYTES + 1), "it is larger than 262,144 bytes"),
    ],
)
def test_a_file_that_is_no_command_is_told_and_not_used(
    tmp_path: Path, data: str | bytes, why: str
) -> None:
    load = found(tmp_path, data)
    assert load.macros == ()
    (fault,) = load.faults
    assert fault.startswith(f"{tmp_path}/it.md: not used: {why}")
