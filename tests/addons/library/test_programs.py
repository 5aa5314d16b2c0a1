"""A tool as a command: arguments are words, and no shell reads them."""

from __future__ import annotations

import subprocess

import pytest

from induscode.addons.manifest import AddonDescriptor, ToolDescriptor


def tool(*command: str) -> ToolDescriptor:
    words = ", ".join(f"'{word}'" for word in command)
    text = f"""
        id = "a"
        [[tool]]
        name = "t"
        description = "d"
        command = [{words}]
        [tool.parameters.properties]
        path = {{ type = "string" }}
        files = {{ type = "array" }}
        count = {{ type = "integer" }}
        deep = {{ type = "boolean" }}
    """
    return AddonDescriptor.parse(text).tools[0]


@pytest.mark.parametrize(
    ("word", "arguments", "words"),
    [
        ("{path}", {"path": "a b"}, ["a b"]),
        ("--path={path}", {"path": "x; rm -rf ~"}, ["--path=x; rm -rf ~"]),
        ("{path}", {"path": ""}, [""]),
        ("{path}", {}, []),
        ("{path}", {"path": None}, []),
        ("-n{count}", {"count": 5}, ["-n5"]),
        ("{deep}", {"deep": True}, ["true"]),
        ("{files}", {"files": ["a", "b c", 3]}, ["a", "b c", "3"]),
        ("{files}", {"files": []}, []),
        ("f={files}", {"files": ["a", "b"]}, ['f=["a","b"]']),
        ("{path}:{count}", {"path": "x", "count": 1}, ["x:1"]),
        ("{path}:{count}", {"path": "x"}, []),
        ("{{path}}", {"path": "x"}, ["{path}"]),
        ("{path}", {"path": "{count} {{"}, ["{count} {{"]),
    ],
)
def test_an_argument_becomes_words_of_its_own(word, arguments, words) -> None:
    assert tool("prog", word, "end").argv(arguments) == ["prog", *words, "end"]


@pytest.mark.parametrize("value", ["$(touch P)", "`x`", "a'b\"c", "*", "a\nb", "-rf", "é\u202e"])
def test_what_the_model_says_reaches_the_program_unread(value: str) -> None:
    words = tool("printf", "%s", "{path}").argv({"path": value})
    ran = subprocess.run(words, capture_output=True, check=True, timeout=10)
    assert ran.stdout.decode() == value


def test_a_text_that_no_program_can_get_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        tool("prog", "{path}").argv({"path": "a\0b"})
