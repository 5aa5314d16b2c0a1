"""A tool of a server as a tool of ours."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from induscode.capability_deck import (
    BridgeCapability,
    DeckContext,
    Profile,
    ToolOutcome,
    bridge_box_to_capabilities,
    bridge_capability_card,
    bridge_config,
    cards_for_profile,
    qualify_bridge_name,
)
from induscode.capability_deck.bridge_ledger.capability import adapt_box
from induscode.capability_deck.mcp_config.reading import parse_config_file
from induscode.kernel.cancel import CancelToken
from induscode.kernel.content import Image, Text
from induscode.kernel.tool import ToolContext, ToolKind
from induscode.tools.local_fs import LocalFilesystem
from induscode.tools.local_shell import LocalShell
from tests.capability_deck.bridge_ledger.samples import OBJECT, Mounted, tool
from tests.requirements import requirement

PICTURE = base64.b64decode("R0lGODlhAQABAAAAACw=")


def context(folder: Path) -> ToolContext:
    return ToolContext(
        cwd=folder,
        fs=LocalFilesystem(),
        shell=LocalShell(folder),
        cancel=CancelToken(),
        progress=lambda _: None,
        spill=lambda _, __: folder,
    )


@requirement("ledger.bridge-tool.names")
def test_name_and_label_are_the_qualified_name() -> None:
    offered = tool("git", "status")
    assert (offered.name, offered.label) == ("git__status", "git__status")
    assert offered.description == "Tells."
    assert offered.parameters == OBJECT
    assert tool(parameters=None).parameters == {"type": "object"}


def test_what_a_server_says_of_its_tool_makes_it_no_more_permitted() -> None:
    assert not tool(annotations={"readOnlyHint": True}).read_only
    card = bridge_capability_card(tool(annotations={"readOnlyHint": True}))
    assert card.kind is ToolKind.FOREIGN


@requirement("ledger.bridge-tool.routes")
async def test_a_call_goes_to_the_shared_runner_under_the_qualified_name(tmp_path: Path) -> None:
    box = Mounted({"name": "git__status"}, {"name": "fs__read"})
    first, second = bridge_box_to_capabilities(box)
    around = context(tmp_path)
    await first.execute({"a": 1}, around)
    await second.execute({}, around)
    assert box.calls == [
        ("git__status", {"a": 1}, around.cancel),
        ("fs__read", {}, around.cancel),
    ]


@requirement("ledger.bridge-tool.cancel-placeholder")
async def test_a_call_without_a_context_gets_a_token_of_its_own() -> None:
    box = Mounted({"name": "git__status"})
    (offered,) = bridge_box_to_capabilities(box)
    result = await offered.execute({})
    assert result.content == (Text("fine"),)
    ((_, _, cancel),) = box.calls
    assert cancel is not None
    assert not cancel.cancelled


@requirement(
    "ledger.bridge-tool.string-verbatim",
    "ledger.bridge-tool.null-empty",
    "ledger.bridge-tool.structured-json",
    "ledger.bridge-tool.error-rides",
)
@pytest.mark.parametrize("is_error", [False, True])
@pytest.mark.parametrize(
    ("output", "content"),
    [
        ("  as it\nis\x00 ", (Text("  as it\nis\x00 "),)),
        (None, (Text(""),)),
        ({"a": [1, None]}, (Text('{\n  "a": [\n    1,\n    null\n  ]\n}'),)),
        (7, (Text("7"),)),
        ([], (Text("[]"),)),
        ((Text("a"), Image("image/gif", PICTURE)), (Text("a"), Image("image/gif", PICTURE))),
    ],
)
async def test_an_outcome_becomes_what_the_model_reads(
    output: object, content: tuple[object, ...], is_error: bool
) -> None:
    box = Mounted({"name": "git__status"}, answer=ToolOutcome(output, is_error=is_error))
    (offered,) = bridge_box_to_capabilities(box)
    result = await offered.execute({})
    assert result.content == content
    assert result.is_error is is_error


async def test_a_tool_that_is_only_remembered_says_that_its_server_is_not_there() -> None:
    result = await tool().execute({})
    assert result.is_error
    assert result.content == (
        Text("The MCP server 'git' is not connected, so git__status did not run."),
    )


@requirement("ledger.box-adapter")
def test_every_descriptor_of_a_box_is_adapted_with_its_parameters() -> None:
    said = {"description": "Tells.", "parameters": OBJECT, "annotations": {"title": "Status"}}
    odd = qualify_bridge_name("my server", "a.b/c__d")
    box = Mounted({"name": "git__status", **said}, {"name": odd})
    first, second = bridge_box_to_capabilities(box, {"git": "launch"})
    assert first == BridgeCapability(
        tool(annotations={"title": "Status"}).definition, "launch", box
    )
    assert (second.definition.server, second.definition.tool) == ("my server", "a.b/c__d")
    assert second.name == odd
    assert first.runner is second.runner is box


def test_a_tool_that_is_refused_is_told_and_the_others_are_there() -> None:
    box = Mounted({"name": "git__" + "x" * 80}, {"name": "git__status"})
    found, faults = adapt_box(box, {})
    assert [each.name for each in found] == ["git__status"]
    assert ["is too long" in fault.message for fault in faults] == [True]


@requirement("ledger.card.cataloged", "ledger.card.no-profile")
def test_the_card_of_a_servers_tool_builds_the_tool_itself_and_is_in_no_profile(
    tmp_path: Path,
) -> None:
    offered = tool(description="Tells\n  what changed.")
    card = bridge_capability_card(offered)
    assert card.build(DeckContext(tmp_path)) is offered
    assert (card.id, card.title, card.summary) == (
        "git__status",
        "git__status",
        "Tells what changed.",
    )
    assert card.profiles == ()
    for profile in Profile:
        assert card.id not in {each.id for each in cards_for_profile(profile)}


@requirement("ledger.config.wraps")
def test_a_flat_list_of_servers_becomes_a_configuration() -> None:
    read = parse_config_file(b'{"servers": {"a": {"command": "x"}}}', "f", {})
    servers = [each for each in read.servers if hasattr(each, "launch")]
    assert list(bridge_config(servers).servers) == servers
    assert bridge_config([]).servers == ()
