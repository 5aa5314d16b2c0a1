"""The bound and the validation, around a tool of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from induscode.kernel.content import Image, Json, SaidBlock, Text, plain_text
from induscode.kernel.tool import ToolContext, ToolResult
from induscode.tools.bounded import bounded
from induscode.tools.validated import problem_with, validated
from tests.requirements import requirement
from tests.tools.conftest import Bench


class Speaker:
    name = "speaker"
    label = "Speaker"
    description = "Says what it was made with."
    read_only = True

    def __init__(self, *content: SaidBlock, parameters: Mapping[str, Any] | None = None) -> None:
        self.content = content
        self.parameters: Mapping[str, Any] = parameters or {"type": "object"}
        self.calls = 0

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        self.calls += 1
        return ToolResult(self.content, is_error=True, display="shown", details={"a": 1})


async def test_a_short_result_passes_untouched(bench: Bench) -> None:
    blocks = (Text("a" * 50), Image("image/png", b"x" * 999), Text("b" * 50))

    result = await bounded(Speaker(*blocks), limit=100).execute({}, bench.context())

    assert result.content == blocks
    assert not bench.spilled.exists()


@requirement("invariant.11.spilled-not-dropped")
async def test_a_long_result_keeps_both_ends_on_whole_lines_and_names_the_file(
    bench: Bench,
) -> None:
    whole = "".join(f"line {n}\n" for n in range(1000))

    result = await bounded(Speaker(Text(whole)), limit=1000).execute({}, bench.context())

    text = plain_text(result.content)
    spilled = next(bench.spilled.iterdir())
    before, sentence, after = text.partition("\n[... ")[0], text, text.partition("...]\n")[2]
    assert spilled.read_text() == whole
    assert f"the whole text is in {spilled}" in sentence
    assert whole.startswith(before)
    assert whole.endswith(after)
    assert len(before) + len(after) <= 1000
    left_out = 1000 - before.count("\n") - after.count("\n")
    assert f"[... {left_out} lines ({len(whole) - len(before) - len(after):,} characters)" in text
    assert (result.is_error, result.display, result.details) == (True, "shown", {"a": 1})


async def test_one_endless_line_is_cut_too(bench: Bench) -> None:
    result = await bounded(Speaker(Text("x" * 5000)), limit=1000).execute({}, bench.context())

    text = plain_text(result.content)
    assert text.startswith("x" * 500 + "\n[")
    assert text.endswith("]\n" + "x" * 500)
    assert "0 lines (4,000 characters) left out" in text


@requirement("invariant.11.spilled-not-dropped")
async def test_many_blocks_and_structured_values_are_bounded_together(bench: Bench) -> None:
    value = msgspec.Raw(msgspec.json.encode({"items": ["y" * 100] * 20}))
    picture = Image("image/png", b"x")
    blocks = [Text("x" * 400)] * 10 + [Json(value), picture]

    result = await bounded(Speaker(*blocks), limit=1000).execute({}, bench.context())

    assert len(plain_text(result.content)) < 1500
    assert result.content[1:] == (picture,)
    assert '"items"' in next(bench.spilled.iterdir()).read_text()


@requirement("invariant.11.spilled-not-dropped")
async def test_when_the_whole_text_cannot_be_kept_the_model_is_told(bench: Bench) -> None:
    bench.spilled.write_text("in the way")

    result = await bounded(Speaker(Text("x" * 5000)), limit=1000).execute({}, bench.context())

    assert "could not be kept" in plain_text(result.content)


SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "kind": {"enum": ["a", "b"]},
        "deep": {"type": "array", "items": {"type": "object", "required": ["x"]}},
        "many": {"type": ["integer", "null"]},
    },
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({}, "speaker needs the argument `name`."),
        ({"name": 1}, "The argument `name` of speaker must be a string: 1 is not of type"),
        ({"name": "n", "kind": "c"}, "The argument `kind` of speaker is not usable:"),
        ({"name": "n", "deep": [{}]}, "speaker needs the argument `deep[0].x`."),
        ({"name": "n", "many": "x"}, "must be a null or an integer"),
        ({"name": "n", "nmae": "x"}, "no argument `nmae`. Did you mean `name`?"),
        ({"name": "n", "zzz": 1}, "no argument `zzz`. It takes: name, kind, deep, many."),
    ],
)
async def test_a_mistake_is_one_sentence_and_the_tool_does_not_start(
    bench: Bench, arguments: dict[str, object], told: str
) -> None:
    tool = Speaker(parameters=SCHEMA)

    result = await validated(tool).execute(arguments, bench.context())

    assert result.is_error
    assert told in plain_text(result.content)
    assert "\n" not in plain_text(result.content)
    assert tool.calls == 0
    assert problem_with(tool, arguments) == plain_text(result.content)


async def test_right_arguments_reach_the_tool(bench: Bench) -> None:
    tool = Speaker(Text("hello"), parameters=SCHEMA)

    result = await validated(tool).execute({"name": "n"}, bench.context())

    assert plain_text(result.content) == "hello"
    assert problem_with(tool, {"name": "n"}) is None


def test_two_tools_of_one_name_keep_their_own_schemas() -> None:
    assert problem_with(Speaker(parameters=SCHEMA), {}) is not None
    assert problem_with(Speaker(), {}) is None


def test_a_schema_may_not_reach_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text('{"type": "string"}')
    schema = {"type": "object", "properties": {"a": {"$ref": f"file://{tmp_path}/schema.json"}}}

    with pytest.raises(ValueError, match="may not refer"):
        problem_with(Speaker(parameters=schema), {"a": 1})
