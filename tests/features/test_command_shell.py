"""Lines that a feature runs for a person who typed its command: which may run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from induscode.errors import HandleClosed, ServiceRefused
from induscode.feature.capability import ContributeCommand
from induscode.feature.points import HookPoint
from induscode.sdk import OwnFeature
from tests.channels.rpc_client import RpcClient
from tests.features.deployer import EXEC, AfterAnswer, deployer
from tests.features.sessions import SAY, entries, hooked, ran
from tests.features.yard import DEPLOYER, Yard


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


@pytest.fixture
def rpc(yard: Yard, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("tests.channels.rpc_client.INDUS", DEPLOYER)
    with RpcClient(yard, "-m", yard.script(SAY)) as client:
        yield client


def test_without_a_person_a_line_that_is_asked_about_is_refused_and_the_run_exits_3(
    yard: Yard,
) -> None:
    done = yard.indus("-p", "/deploy staging")

    assert done.returncode == 3
    assert "/deploy of user:deployer was refused" in done.stderr
    assert "--allow RULE" in done.stderr
    assert not yard.made("deployed")
    [asked] = entries(yard, "approval")
    assert (asked["tool"], asked["answer"]) == ("bash", "nobody")
    [(decision, _)] = yard.ran()
    assert decision == "deny"


def test_a_deny_rule_and_plan_mode_refuse_a_line_as_they_refuse_the_models(yard: Yard) -> None:
    denied = yard.indus("-p", "/deploy x", "--mode", "full", "--deny", "bash(./deploy.sh *)")
    assert denied.returncode == 1
    assert "Denied:" in denied.stderr
    assert yard.ran()[0][0] == "deny"
    for log in yard.logs():
        log.unlink()

    planned = yard.indus("-p", "/deploy x", "--mode", "plan")
    assert planned.returncode == 1
    assert "plan" in planned.stderr
    assert yard.ran()[0][0] == "deny"
    assert not yard.made("deployed")
    assert entries(yard, "approval") == []


CALLS_BASH = f"""
[[answer]]
[[answer.call]]
name = "bash"
arguments = {{ command = "{EXEC} staging" }}
[[answer]]
text = "Done."
"""


def test_a_person_is_asked_what_the_same_call_of_the_model_asks(
    yard: Yard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.channels.rpc_client.INDUS", DEPLOYER)
    questions = []
    with RpcClient(yard, "-m", yard.script(CALLS_BASH)) as client:
        for text in ("go", "/deploy staging"):
            submitted = client.send("submit", text=text)
            questions.append(client.event("approval"))
            client.result("approve", id=questions[-1]["id"], choice="no")
            client.answer(submitted)
    first, second = ({**each, "id": "", "at": ""} for each in questions)
    assert first == second
    assert len({each["id"] for each in questions}) == 2


@pytest.mark.parametrize("choice", ["once", "session", "no"])
def test_the_answer_of_a_person_decides_and_is_on_record(
    yard: Yard, rpc: RpcClient, choice: str
) -> None:
    submitted = rpc.send("submit", text="/deploy staging")
    question = rpc.event("approval")
    assert not yard.made("deployed")

    rpc.result("approve", id=question["id"], choice=choice, reason="not today")
    result = rpc.answer(submitted)["result"]

    [approval] = entries(yard, "approval")
    assert (approval["call"], approval["answer"]) == (question["id"], choice)
    if choice == "no":
        assert result["exit"] == 1
        assert not yard.made("deployed")
        assert yard.ran() == [("deny", "The user did not allow this call. They said: not today")]
    else:
        assert (result["exit"], yard.made("deployed")) == (0, True)
        assert [words for words, _ in yard.ran()] == ["allow", "ended"]
    if choice == "session":
        assert rpc.result("submit", text="/deploy staging")["exit"] == 0


def test_any_other_line_needs_the_grant_to_execute(yard: Yard) -> None:
    yard.granted = "contribute-command(run)"
    refused = yard.indus("-p", "/run touch made", "--mode", "full")
    assert refused.returncode == 1
    assert "scoped-fs(execute) may not be used" in refused.stderr
    assert not yard.made("made")
    assert yard.logs() == []

    yard.granted += "\nscoped-fs(execute)"
    assert yard.indus("-p", "/run touch made", "--mode", "full").returncode == 0
    assert yard.made("made")


async def test_the_grant_of_a_command_covers_its_declared_line_and_no_other(yard: Yard) -> None:
    feature = deployer(ContributeCommand("deploy"))
    result, _ = await ran(yard, SAY, feature, said="/deploy now")
    assert (result.exit, yard.made("deployed")) == (0, True)

    for line in ("touch made", EXEC, f"{EXEC} later", f"{EXEC} now; touch made"):
        other = deployer(ContributeCommand("deploy"))

        async def strays(arguments: str, other: OwnFeature = other, line: str = line) -> object:
            del arguments
            return await other.module.shells["deploy"].run(line)

        other.module.deploy = strays
        result, events = await ran(yard, SAY, other, said="/deploy now")
        assert result.exit == 1
        assert any("scoped-fs(execute) may not be used" in str(event) for event in events)
    assert not yard.made("made")


def test_what_is_typed_after_the_name_passes_the_gate_with_the_line(yard: Yard) -> None:
    done = yard.indus("-p", "/deploy a; touch sneaked", "--allow", "bash(./deploy.sh *)")

    assert done.returncode == 3
    assert not yard.made("sneaked")
    assert not yard.made("deployed")


def test_a_shell_serves_its_own_command_and_only_while_that_runs(yard: Yard) -> None:
    done = yard.indus("-p", "/late touch made", "--mode", "full")

    assert done.returncode == 1
    assert "/run does not run" in done.stderr
    assert not yard.made("made")


async def test_a_handle_that_is_kept_refuses_between_commands(yard: Yard) -> None:
    feature = deployer()
    shells = feature.module.shells
    said: list[str] = []

    async def use() -> None:
        with pytest.raises(ServiceRefused) as refused:
            await shells["run"].run("touch made")
        said.append(refused.value.message)

    watching = hooked(AfterAnswer(use), HookPoint.POST_ASSISTANT)
    await ran(yard, SAY, feature, watching)

    assert said == ["/run does not run"]
    with pytest.raises(HandleClosed):
        await shells["run"].run("touch made")
    assert not yard.made("made")
