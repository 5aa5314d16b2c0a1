"""Hostile features, in the tools and texts they contribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from induscode.feature.fragment import FragmentContribution
from induscode.feature.limits import (
    DESCRIPTION_CHARACTERS,
    FRAGMENT_CHARACTERS,
    SCHEMA_BYTES,
)
from induscode.feature.registry import FeatureInstallContext
from induscode.feature.tool import ToolContribution
from induscode.kernel.content import Text
from induscode.kernel.tool import ToolContext, ToolResult
from tests.features.among import CULPRIT, Among, LongText, culprit
from tests.features.modules import (
    Echo,
    Module,
    report_of,
)


class TwoTexts:
    """A fragment that is short when it is measured and long when it is used."""

    name = "about"
    required_capabilities = ()
    feature_id = ""

    def __init__(self) -> None:
        self.asked = 0

    @property
    def text(self) -> str:
        self.asked += 1
        return "short" if self.asked == 1 else "x" * 10_000_000


@pytest.mark.parametrize(
    ("contribution", "expected"),
    [
        (TwoTexts(), ["short"]),
        (FragmentContribution("about", LongText("x" * 10_000_000)), []),
        (FragmentContribution("about", "x" * (FRAGMENT_CHARACTERS + 1)), []),
        (FragmentContribution("about", b"bytes"), []),
    ],
    ids=["two texts", "lies about its length", "too long", "bytes"],
)
def test_one_whose_piece_of_the_prompt_is_longer_than_it_may(
    contribution: Any, expected: list[str]
) -> None:
    def install(ctx: FeatureInstallContext) -> None:
        ctx.fragments.register(contribution)

    made = culprit().fragment("about", characters=1_000_000)
    among = Among(Module(made, install))
    among.assert_others_work()
    texts = [draft.contribution.text for _, draft in among.registry.fragments()]
    assert texts == expected
    assert [type(text) for text in texts] == [str] * len(expected)


# Its tools


class Broken(Echo):
    @property
    def name(self) -> str:
        raise ValueError("no name today")

    @name.setter
    def name(self, name: str) -> None: ...


class Named(Echo):
    def __init__(self, **parts: Any) -> None:
        super().__init__()
        for name, value in parts.items():
            setattr(self, name, value)


@pytest.mark.parametrize(
    ("definition", "because"),
    [
        (Named(name="bash"), "it calls itself 'bash'"),
        (Named(name="x" * 10_000_000), "it calls itself"),
        (Broken(), "its definition cannot be read: ValueError('no name today')"),
        (object(), "its definition cannot be read"),
        (Named(parameters={"type": "object", "x": "y" * 10_000_000}), f"over {SCHEMA_BYTES} bytes"),
        (Named(parameters={"type": "array"}), "not of type object"),
        (Named(parameters=["type", "object"]), "not of type object"),
        (Named(parameters=None), "not of type object"),
        (Named(parameters={"type": object()}), "its definition cannot be read"),
        (Named(description="x" * (DESCRIPTION_CHARACTERS + 1)), "its description has over"),
        (Named(description=5), "must be plain texts"),
        (Named(label=None), "must be plain texts"),
    ],
    ids=["another name", "an endless name", "attribute raises", "no tool", "10 MB schema",
         "array schema", "list schema", "no schema", "schema of objects", "endless description",
         "description 5", "no label"],
)  # fmt: skip
def test_one_whose_tool_is_none(definition: Any, because: str) -> None:
    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(ToolContribution("echo", definition))

    among = Among(Module(culprit().tool("echo"), install))
    among.assert_others_work()
    report = report_of(among.registry, str(CULPRIT))
    (skipped,) = report.skipped_contributions
    assert (skipped.kind, skipped.name) == ("tool", "echo")
    assert because in skipped.reason
    assert len(skipped.reason) <= 500
    assert because.partition("'")[0] in report.diagnostics[0].message


@pytest.mark.parametrize("name", ["", "a b", "1st", "x" * 65, "échö", "a\n", "../x"])
def test_one_whose_tool_has_a_name_that_no_model_could_call(name: str) -> None:
    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(ToolContribution(name, Echo(name)))

    among = Among(Module(culprit().tool(name), install))
    among.assert_others_work()
    (skipped,) = report_of(among.registry, str(CULPRIT)).skipped_contributions
    assert skipped.name == name


def test_one_that_says_its_tool_is_read_only_is_not_believed() -> None:
    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(ToolContribution("echo", Named(read_only=True)))

    among = Among(Module(culprit().tool("echo"), install))
    among.assert_others_work("echo")
    assert [draft.tool.read_only for _, draft in among.registry.tools()] == [False] * 3


class Shout(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "junk",
    [
        None,
        "text",
        {"content": []},
        ToolResult(content="text"),
        ToolResult(content=("text",)),
        ToolResult(content=(Text(5),)),
        ToolResult(content=(Text(Shout("text")),)),
        ToolResult(content=None),
        ToolResult(content=(Text("x"),), details=["list"]),
    ],
    ids=["None", "text", "dict", "content text", "blocks of text", "text 5", "text subclass",
         "no content", "details list"],
)  # fmt: skip
async def test_one_whose_tool_returns_junk(junk: Any) -> None:
    class Junk(Echo):
        async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
            return junk

    def install(ctx: FeatureInstallContext) -> None:
        ctx.tools.register(ToolContribution("echo", Junk()))

    among = Among(Module(culprit().tool("echo"), install))
    among.assert_others_work("echo")
    first, bad, last = (draft.tool for _, draft in among.registry.tools())
    context: Any = None
    result = await bad.execute({}, context)
    assert result.is_error
    assert "The tool echo returned no usable result" in result.content[0].text
    for good in (first, last):
        assert (await good.execute({"text": "hi"}, context)) == ToolResult.text("hi")
