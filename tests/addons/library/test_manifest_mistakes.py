"""Manifests that cannot be used: each told with its file, its field and a remedy."""

from __future__ import annotations

import time

import pytest

from induscode.addons.manifest import AddonDescriptor, ManifestError, ManifestErrorKind
from tests.requirements import requirement


def mistake(text: str | bytes) -> ManifestError:
    with pytest.raises(ManifestError) as caught:
        AddonDescriptor.parse(text, "safety/manifest.toml")
    assert caught.value.file == "safety/manifest.toml"
    assert str(caught.value).startswith("safety/manifest.toml: ")
    return caught.value


@requirement("addons.manifest.empty-id-invalid")
@pytest.mark.parametrize(
    "line", ["", 'version = "1"', 'id = ""', 'id = "  "', "id = 7", 'id = ["safety"]']
)
def test_an_empty_or_missing_id_is_invalid(line: str) -> None:
    error = mistake(line)
    assert (error.kind, error.field) == (ManifestErrorKind.INVALID, "id")
    assert error.hint


@pytest.mark.parametrize(
    "name",
    ["../../x", "..", "/etc", "a/b", ".hidden", "a b", "Safety", "s\u200bafe", "-x", "x" * 65, "é"],
)
def test_an_id_that_could_be_a_path_or_be_mistaken_is_refused(name: str) -> None:
    error = mistake(f'id = "{name}"')
    assert (error.kind, error.field) == (ManifestErrorKind.INVALID, "id")
    assert "a-z, 0-9" in error.hint


@requirement("addons.manifest.empty-command-name-invalid")
@pytest.mark.parametrize(
    "name", ['name = ""', 'name = " "', "", 'name = "/deploy"', 'name = "a b"', 'name = "a\\u200b"']
)
def test_a_command_needs_a_name_that_can_be_typed(name: str) -> None:
    error = mistake(f'id = "a"\n[[command]]\nname = "fine"\n[[command]]\n{name}\nsummary = "s"')
    assert (error.kind, error.field) == (ManifestErrorKind.INVALID, "command[1].name")


@requirement("addons.manifest.malformed-toml")
@pytest.mark.parametrize(
    "text",
    [
        "id = ",
        "[[command]",
        "\x00",
        b'id = "\xff"',
        "a = 1\na = 2",
        "a = " + "[" * 50_000,
        "a = " + "1" * 10_000,
    ],
    ids=["cut", "bracket", "nul", "utf-8", "twice", "deep", "digits"],
)
def test_what_is_not_toml_says_so(text: str | bytes) -> None:
    error = mistake(text)
    assert error.kind is ManifestErrorKind.TOML
    assert "TOML" in error.message


@requirement("addons.manifest.unknown-event")
def test_an_unknown_event_is_named_with_what_was_probably_meant() -> None:
    error = mistake('id = "a"\n[[gate]]\nevent = "tool:befor"\nreason = "r"')
    assert error.field == "gate[0].event"
    assert "'tool:befor'" in error.message
    assert error.hint == "did you mean 'tool:before'?"
    far = mistake('id = "a"\n[[gate]]\nevent = "9"\nreason = "r"')
    assert "input:submit" in far.hint


@pytest.mark.parametrize(
    ("text", "field", "hint"),
    [
        ('gats = 1\nid = "a"', "gats", "did you mean 'gate'?"),
        ('id = "a"\n[[gates]]\nevent = "tool:before"', "gates", "did you mean 'gate'?"),
        (
            'id = "a"\n[[gate]]\nevent = "tool:before"\nreason = "r"\nmatch_tool = "bash"',
            "gate[0].match_tool",
            "did you mean 'match-tool'?",
        ),
        ('id = "a"\n[[command]]\nname = "x"\nexecs = "y"', "command[0].execs", "'exec'"),
        ('id = "a"\n[[task]]\nid = "t"\ncommand = ["x"]\nzzz = 1', "task[0].zzz", "there are"),
    ],
)
def test_a_key_that_nobody_knows_is_refused_and_not_passed_over(text, field, hint) -> None:
    error = mistake(text)
    assert error.field == field
    assert hint in error.hint


TOOL = 'id = "a"\n[[tool]]\nname = "t"\ndescription = "d"\n'
HOOK = 'id = "a"\n[[hook]]\nevent = "turn:end"\n'
HOOK_OF_TURN = '[[hook]]\nevent = "turn:end"\ncommand = ["x"]\n'
MISTAKES = {
    "version": ('id = "a"\nversion = 1', "version", "found a number"),
    "command": ('id = "a"\ncommand = "deploy"', "command", "expected tables, found a text"),
    "table": ('id = "a"\n[gate]\nevent = "tool:before"', "gate", "expected tables, found a table"),
    "mixed": ('id = "a"\ngate = [1]', "gate", "expected tables, found a number"),
    "exec": ('id = "a"\n[[command]]\nname = "x"\nexec = " "', "command[0].exec", "is empty"),
    "reason": ('id = "a"\n[[gate]]\nevent = "turn:end"', "gate[0].reason", "is missing"),
    "match": (
        'id = "a"\n[[gate]]\nevent = "turn:end"\nreason = "r"\nmatch-tool = ""',
        "gate[0].match-tool",
        "is empty",
    ),
    "capability": (
        'id = "a"\n[[capability]]\nname = "root"\nreason = "r"',
        "capability[0].name",
        "'root' is no capability",
    ),
    "no reason": (
        'id = "a"\n[[capability]]\nname = "emit-alert"',
        "capability[0].reason",
        "missing",
    ),
    "flag": (
        'id = "a"\n[[capability]]\nname = "emit-alert"\nreason = "r"\nrequired = "yes"',
        "capability[0].required",
        "expected true or false",
    ),
    "tool name": ('id = "a"\n[[tool]]\nname = "a b"', "tool[0].name", "'a b'"),
    "undescribed": ('id = "a"\n[[tool]]\nname = "t"', "tool[0].description", "is missing"),
    "shell line": (TOOL + 'command = "wc -l {path}"', "tool[0].command", "found a text"),
    "no words": (TOOL + "command = []", "tool[0].command", "found an empty list"),
    "numbers": (TOOL + 'command = ["head", 5]', "tool[0].command", "found a number in it"),
    "no command": (TOOL, "tool[0].command", "is missing"),
    "chosen": (TOOL + 'command = ["{x}"]', "tool[0].command[0]", "is no program"),
    "blank": (TOOL + 'command = [""]', "tool[0].command[0]", "is no program"),
    "unknown": (TOOL + 'command = ["wc", "{x}"]', "tool[0].command[1]", "{x} is no parameter"),
    "brace": (TOOL + 'command = ["wc", "a{"]', "tool[0].command[1]", "a lone '{'"),
    "nul": (TOOL + 'command = ["wc", "\\u0000"]', "tool[0].command[1]", "NUL"),
    "array": (TOOL + 'parameters = {type = "array"}', "tool[0].parameters", "of an object"),
    "needs": (
        TOOL + 'parameters = {required = ["x"]}',
        "tool[0].parameters.required",
        "names no property",
    ),
    "nan": (TOOL + "parameters = {default = nan}", "tool[0].parameters", "is not JSON"),
    "time": (TOOL + 'command = ["wc"]\nseconds = 1e9', "tool[0].seconds", "1000000000.0"),
    "kind": (HOOK + 'command = ["x"]\nkind = "veto"', "hook[0].kind", "'veto'"),
    "argument": (HOOK + 'command = ["x", "{a}"]', "hook[0].command[1]", "is no parameter"),
    "hook time": (HOOK + 'command = ["x"]\nseconds = true', "hook[0].seconds", "true or false"),
    "task id": ('id = "a"\n[[task]]\nid = "../x"', "task[0].id", "'../x'"),
    "twice": ('id = "a"\n' + '[[command]]\nname = "x"\n' * 2, "", "commands: x is there twice"),
    "many": ('id = "a"\n' + HOOK_OF_TURN * 201, "events", "length <= 200"),
    "long": (f'id = "a"\ndescription = "{"x" * 501}"', "description", "over 500 characters"),
    "long version": (f'id = "a"\nversion = "{"1" * 101}"', "version", "over 100 characters"),
    "summary": (
        f'id = "a"\n[[command]]\nname = "x"\nsummary = "{"x" * 501}"',
        "command[0].summary",
        "over 500 characters",
    ),
    "escape": (TOOL + 'command = ["a/../../x"]', "tool[0].command[0]", "not in the package"),
    "hook tool": (
        HOOK + 'command = ["x"]\nmatch-tool = "a b"',
        "hook[0].match-tool",
        "no name of a tool",
    ),
    "restarts": (
        'id = "a"\n[[task]]\nid = "t"\ncommand = ["x"]\nrestarts = 99',
        "task[0].restarts",
        "99",
    ),
    "half": (
        'id = "a"\n[[task]]\nid = "t"\ncommand = ["x"]\nrestarts = 0.5',
        "task[0].restarts",
        "0.5",
    ),
}


@pytest.mark.parametrize(("text", "field", "found"), MISTAKES.values(), ids=MISTAKES)
def test_what_cannot_be_is_named(text: str, field: str, found: str) -> None:
    error = mistake(text)
    assert (error.kind, error.field) == (ManifestErrorKind.INVALID, field)
    assert found in error.message


def test_a_schema_that_is_too_large_or_too_deep_is_refused() -> None:
    long = mistake(TOOL + f'command = ["x"]\nparameters = {{title = "{"x" * 40_000}"}}')
    deep = mistake(TOOL + f'command = ["x"]\nparameters = {"{a=" * 80}1{"}" * 80}\n')
    assert (long.field, deep.field) == ("tool[0].parameters", "tool[0].parameters")
    assert "bytes" in long.message
    assert "nested deeper" in deep.message


LONG = ".a" * 60_000
HOSTILE = {
    "key": f"a{LONG} = 1",
    "header": f"[a{LONG}]",
    "array": f" [[ 'a'{LONG} ]]",
    "inline": f"x = {{b = 1, a{LONG} = 1}}",
    "spaced": "x = 1\n  " + '"a" . ' * 20_000 + "a = 1",
    "quoted": r'"a\""' + r'."a\""' * 20_000 + " = 1",
    "tables": "[[x]]\n" * 40_000,
    "members": "x = [" + "1," * 120_000 + "]",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_manifest_made_to_be_slow_is_refused_within_seconds(text: str) -> None:
    begun = time.monotonic()
    mistake(text)
    assert time.monotonic() - begun < 10


def test_texts_may_have_as_many_dots_as_they_like() -> None:
    dots = ".".join("a" * 100)
    assert AddonDescriptor.parse(f'id = "a"\ndescription = "{dots}"').description == dots
