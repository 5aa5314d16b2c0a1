"""Names of tools and commands: the first claimant keeps one, however a later one spells it."""

from __future__ import annotations

import pytest

from induscode.feature.command import CommandContribution, Say
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.diagnostic import SkippedContribution
from induscode.feature.hosting.claims import Claim, Claims
from induscode.feature.hosting.installed import FeatureRegistry
from induscode.feature.registry import FeatureHost, FeatureInstallContext, FeatureRegistryBuilder
from induscode.feature.tool import ToolContribution
from tests.features.hosting import Grants, NoServices, TestHost, package
from tests.features.modules import Echo, Module, describe, greeter, report_of, tool_names
from tests.requirements import requirement


class Hello:
    async def run(self, arguments: str) -> Say:
        return Say("hello")


def commander(name: str, *commands: str) -> Module:
    made = describe(name)
    for command in commands:
        made.command(command)

    def install(ctx: FeatureInstallContext) -> None:
        for command in commands:
            ctx.commands.register(CommandContribution(command, Hello()))

    return Module(made, install)


def command_names(registry: FeatureRegistry) -> list[str]:
    return [draft.contribution.name for _, draft in registry.commands()]


def skipped(registry: FeatureRegistry, feature: str) -> SkippedContribution:
    (one,) = report_of(registry, feature).skipped_contributions
    return one


@requirement("invariant.05.first-claimant-keeps")
@pytest.mark.parametrize("name", ["bash", "Bash", "BASH", "ba_sh", "b-ash", "shell", "Shell"])
def test_a_tool_that_a_rule_would_take_for_another_does_not_stand_beside_it(name: str) -> None:
    registry = TestHost().registry(
        package(greeter("first", "bash")), package(greeter("second", name, "other"))
    )

    assert tool_names(registry) == ["bash", "other"]
    lost = skipped(registry, "builtin:second")
    assert (lost.kind, lost.name, lost.owner) == ("tool", name, "builtin:first")
    which = "this name" if name == "bash" else "the name bash"
    assert lost.reason == f"builtin:first has {which} already, builtin:second comes later"


def test_servers_and_their_tools_stay_apart() -> None:
    names = ("a__bc", "ab__c", "abc")
    registry = TestHost().registry(*(package(greeter(f"f{i}", n)) for i, n in enumerate(names)))
    assert tool_names(registry) == list(names)


@pytest.mark.parametrize("name", ["git__status", "mcp__git__status", "MCP__git", "a__"])
def test_a_name_that_rules_take_for_a_tool_of_a_server_is_not_for_others(name: str) -> None:
    made = FeatureDescriptor.builder(FeatureId.user("thief")).tool(name).tool("mine")

    def install(ctx: FeatureInstallContext) -> None:
        for each in (name, "mine"):
            ctx.tools.register(ToolContribution(each, Echo(each)))

    registry = TestHost().registry(package(Module(made, install), source="user"))
    assert tool_names(registry) == ["mine"]
    lost = skipped(registry, "user:thief")
    assert lost.reason == "'__' in a name is for tools of MCP servers, which rules know by it"


@requirement("invariant.05.first-claimant-keeps")
@pytest.mark.parametrize("name", ["deploy", "Deploy", "DEPLOY"])
def test_a_command_that_differs_in_case_only_does_not_stand_beside_another(name: str) -> None:
    registry = TestHost().registry(
        package(commander("first", "deploy")), package(commander("second", name, "dep-loy"))
    )

    assert command_names(registry) == ["deploy", "dep-loy"]
    lost = skipped(registry, "builtin:second")
    assert (lost.kind, lost.name, lost.owner) == ("command", name, "builtin:first")


def test_names_of_the_host_are_no_features() -> None:
    at = TestHost()
    host = FeatureHost(
        lambda *_: Grants(everything=True),
        NoServices,
        at.paths,
        at.record,
        commands={"help": "the prompt"},
        tools={"bash": "the host"},
    )
    builder = FeatureRegistryBuilder(host)
    builder.add(package(greeter("tools", "Bash", "mine")))
    builder.add(package(commander("commands", "HELP", "mine")))
    registry = builder.install()

    assert (tool_names(registry), command_names(registry)) == (["mine"], ["mine"])
    tool, command = skipped(registry, "builtin:tools"), skipped(registry, "builtin:commands")
    assert tool.reason == "the host has the name bash already, builtin:tools comes later"
    assert command.reason == "the prompt has the name help already, builtin:commands comes later"


def test_of_two_names_of_the_host_that_are_one_the_first_counts() -> None:
    claims = Claims({}, {"help": "the prompt", "HELP": "the screen"})
    assert claims.of("command", "Help") == Claim("the prompt", "help")


def test_one_feature_cannot_have_a_name_in_two_spellings() -> None:
    registry = TestHost().registry(
        package(greeter("tools", "get_it", "getIt")), package(commander("commands", "go", "Go"))
    )

    assert (tool_names(registry), command_names(registry)) == (["get_it"], ["go"])
    tool, command = skipped(registry, "builtin:tools"), skipped(registry, "builtin:commands")
    assert (tool.name, tool.owner) == ("getIt", "builtin:tools")
    assert tool.reason == "it has the name get_it already, which is taken for the same"
    assert (command.name, command.owner) == ("Go", "builtin:commands")
