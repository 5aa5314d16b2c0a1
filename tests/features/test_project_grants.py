"""What a workspace brings along is granted for that workspace, by name or by trust."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from induscode.boot.features import Features
from induscode.capability_deck.contract import DeckContext
from induscode.conductor.hooks import Hooks
from induscode.conductor.ports import NoBackground
from induscode.feature.capability import (
    AnyCapability,
    ContributeCommand,
    ContributeHook,
    EmitAlert,
    GrantPort,
)
from induscode.feature.command import CommandContribution, CommandOutcome, Say
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.hosting.grant_store import GrantStore, StandingGate
from induscode.feature.points import HookPoint
from induscode.feature.registry import (
    FeatureHost,
    FeatureInstallContext,
    FeatureRegistryBuilder,
    Package,
)
from tests.features.hosting import NoServices, TestHost
from tests.requirements import requirement

A, B = "a" * 64, "b" * 64
DEPLOY = ContributeCommand("deploy")
GATE = ContributeHook(HookPoint.PRE_TOOL_CALL)
SAFETY = FeatureDescriptor.builder(FeatureId.project("safety")).version("1").build()


def store(tmp_path: Path, workspace: str = "/one") -> GrantStore:
    return GrantStore(tmp_path, Path(workspace))


def port(grants: GrantStore, *trusted: AnyCapability, digest: str = A) -> GrantPort:
    return grants.port(SAFETY, digest, trusted)


def test_two_workspaces_with_an_addon_of_one_name_do_not_share_its_grants(tmp_path: Path) -> None:
    one, two = store(tmp_path), store(tmp_path, "/one-evil")
    one.give(SAFETY, A, [EmitAlert()], "now")
    assert port(one).denial(EmitAlert()) is None
    assert "not granted" in (port(two).denial(EmitAlert()) or "")
    assert "not granted" in (port(GrantStore(tmp_path)).denial(EmitAlert()) or "")
    assert (list(one.here()), list(two.here())) == (["project:safety"], [])
    assert list(one.all()) == ["project:safety in /one"]


def test_gates_and_forgetting_are_of_one_workspace_too(tmp_path: Path) -> None:
    one, two = store(tmp_path), store(tmp_path, "/two")
    one.remember_gates("project:safety", "label", (StandingGate("guard"),))
    assert one.of("project:safety") is not None
    assert two.of("project:safety") is None
    assert not two.forget("project:safety")
    assert one.forget("project:safety")
    assert one.all() == {}


def test_grants_of_the_users_own_features_count_in_every_workspace(tmp_path: Path) -> None:
    made = FeatureDescriptor.builder(FeatureId.user("x")).build()
    store(tmp_path).give(made, A, [EmitAlert()], "now")
    assert store(tmp_path, "/two").port(made, A).denial(EmitAlert()) is None


def test_a_file_from_before_workspaces_were_kept_apart_is_read(tmp_path: Path) -> None:
    alert = {"kind": "emit-alert"}
    old = {"granted": [alert], "digest": A, "version": "1", "at": "then"}
    file = tmp_path / "grants.json"
    file.write_text(json.dumps({"user:x": old, "project:safety": old}))
    file.chmod(0o600)
    made = FeatureDescriptor.builder(FeatureId.user("x")).version("1").build()
    assert store(tmp_path).port(made, A).denial(EmitAlert()) is None
    assert port(store(tmp_path)).denial(EmitAlert()) is not None, "no workspace is named in it"


@requirement("invariant.06.withdrawn-while-running")
def test_what_trust_gives_holds_until_it_is_withdrawn(tmp_path: Path) -> None:
    grants = store(tmp_path)
    live = port(grants, DEPLOY, GATE)
    assert live.denial(DEPLOY) is None
    assert "not granted" in (live.denial(EmitAlert()) or "")

    grants.withdraw("project:safety", [DEPLOY], "now")

    assert "it was withdrawn" in (live.denial(DEPLOY) or "")
    assert live.denial(GATE) is None
    assert port(store(tmp_path, "/two"), DEPLOY).denial(DEPLOY) is None, "another workspace"
    grants.give(SAFETY, A, [DEPLOY], "later")
    assert live.denial(DEPLOY) is None


def test_a_withdrawal_holds_for_other_content_that_is_trusted(tmp_path: Path) -> None:
    grants = store(tmp_path)
    grants.withdraw("project:safety", [DEPLOY], "now")
    assert port(grants, DEPLOY, digest=B).denial(DEPLOY) is not None


def test_a_damaged_file_of_grants_ends_what_trust_gives(tmp_path: Path) -> None:
    """Nobody knows then what was withdrawn."""
    (tmp_path / "grants.json").write_text("{")
    assert "grants.json" in (port(store(tmp_path), DEPLOY).denial(DEPLOY) or "")


class Deploying:
    def descriptor(self) -> FeatureDescriptor:
        made = FeatureDescriptor.builder(FeatureId.project("safety")).version("1")
        return made.command("deploy").command("undo").build()

    def install(self, ctx: FeatureInstallContext, /) -> None:
        ctx.commands.register(CommandContribution("deploy", self))
        ctx.commands.register(CommandContribution("undo", self))

    async def run(self, arguments: str) -> CommandOutcome:
        return Say(arguments)


class Idle(NoBackground):
    def start(self) -> None: ...

    def start_task(self, feature_id: str, task_id: str, /) -> bool:
        return False


@pytest.mark.parametrize(
    ("trusted", "named", "right"),
    [
        ((DEPLOY,), (), "trust: contribute-command(deploy)"),
        ((), (DEPLOY,), "user: contribute-command(deploy)"),
        (
            (DEPLOY,),
            (ContributeCommand("undo"),),
            "trust: contribute-command(deploy); user: contribute-command(undo)",
        ),
    ],
)
def test_the_log_says_by_which_right_a_feature_has_what_it_has(
    tmp_path: Path,
    trusted: tuple[AnyCapability, ...],
    named: tuple[AnyCapability, ...],
    right: str,
) -> None:
    grants, host = store(tmp_path), TestHost()
    if named:
        grants.give(Deploying().descriptor(), A, named, "now")
    parts = FeatureHost(grants.port, NoServices, host.paths, host.record)
    package = Package(Deploying(), A, "project", "x", ours=True, trusted=trusted)
    registry = FeatureRegistryBuilder(parts).add(package).install()

    features = Features(registry, Hooks(), Idle(), DeckContext(tmp_path))

    assert {entry.id: entry.grant for entry in features.entries()}["project:safety"] == right
