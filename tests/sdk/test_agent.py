"""`induscode.sdk.Agent` against a scripted model and real tools."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from induscode.sdk import Agent, PersonAnswer, Question, RunFailed, RunResult, errors, events
from tests.channels.place import Place
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import say
from tests.requirements import requirement

READS = """
[[answer]]
text = "Let me look."
[[answer.call]]
name = "read"
arguments = { path = "notes.txt" }
[[answer]]
text = "It says hello."
[[answer]]
text = "More."
"""
SLEEPS = """
[[answer]]
[[answer.call]]
name = "bash"
arguments = { command = "sleep 60" }
[[answer]]
text = "Going on."
[[answer]]
text = "And on."
"""
TOUCHES = SLEEPS.replace("sleep 60", "touch made.txt")
BOUND = 20


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    place = Place(tmp_path)
    monkeypatch.chdir(place.workspace)
    (place.workspace / "notes.txt").write_text("hello\n")
    return place


def kinds(seen: list[events.Event]) -> list[str]:
    return [type(event).__name__ for event in seen]


@requirement("files.sdk")
async def test_the_promised_snippet_runs_as_it_stands(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with AnthropicServer([say("A small repo.")]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-test")
        monkeypatch.setenv("INDUS_HOME", str(place.home))

        async with Agent(model="anthropic/claude-sonnet-4-5", cwd=".") as agent:
            async for event in agent.run("explain this repo"):
                print(event)  # noqa: T201 - the promise has it

    assert agent.result is not None
    assert (agent.result.text, agent.result.exit) == ("A small repo.", 0)
    assert "RunResult(" in capsys.readouterr().out.splitlines()[-1]


@requirement("files.sdk")
async def test_a_run_yields_events_from_the_session_to_its_result(place: Place) -> None:
    async with Agent(place.script(READS), home=place.home) as agent:
        seen = [event async for event in agent.run("what do the notes say?")]
        again = [event async for event in agent.run("and?")]

    assert kinds(seen) == [
        *("SessionOpened", "TextDelta", "UsageReported", "ToolStarted", "ToolEnded"),
        *("TextDelta", "UsageReported", "RunResult"),
    ]
    assert seen[-1] == RunResult(
        session=place.logs()[0].stem,
        text="It says hello.",
        steps=2,
        usage={"input": 0, "output": 0, "cache_read": 0, "cache_write": 0},
        cost=None,
        exit=0,
        at=seen[-1].at,
    )
    assert kinds(again) == ["TextDelta", "UsageReported", "RunResult"]
    assert place.replays()


async def test_ask_gives_the_result_alone(place: Place) -> None:
    async with Agent(place.script(READS), home=place.home) as agent:
        result = await agent.ask("what do the notes say?")

        assert agent.result is result
        assert result.session == agent.session
    assert result.text == "It says hello."


async def test_leaving_the_loop_stops_the_turn_and_the_next_can_begin(place: Place) -> None:
    async with asyncio.timeout(BOUND):
        async with Agent(place.script(SLEEPS), home=place.home, mode="full") as agent:
            async for event in agent.run("wait"):
                if isinstance(event, events.ToolStarted):
                    break
            second = await agent.ask("and now?")

    assert second.text == "Going on."
    assert place.replays()
    assert "the program stopped listening" in place.logs()[0].read_text()


async def test_leaving_the_agent_stops_the_turn_and_go_on_continues_it_later(place: Place) -> None:
    model = place.script(SLEEPS)
    async with asyncio.timeout(BOUND):
        async with Agent(model, home=place.home, mode="full") as agent:
            session = agent.session
            run = agent.run("wait")
            async for event in run:
                if isinstance(event, events.ToolStarted):
                    break
        async with Agent(model, home=place.home, resume=session[:25]) as agent:
            assert agent.unfinished
            seen = [event async for event in agent.go_on()]

    assert isinstance(seen[-1], RunResult)
    assert seen[-1].text == "Going on."
    assert place.replays()


async def test_cancelling_the_task_that_listens_stops_the_turn(place: Place) -> None:
    async with Agent(place.script(SLEEPS), home=place.home, mode="full") as agent:
        started = asyncio.Event()

        async def listen() -> None:
            async for event in agent.run("wait"):
                if isinstance(event, events.ToolStarted):
                    started.set()

        listening = asyncio.ensure_future(listen())
        async with asyncio.timeout(BOUND):
            await started.wait()
            listening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await listening
            assert (await agent.ask("and now?")).text == "Going on."
    assert place.replays()


async def test_cancel_ends_the_run_with_exit_code_130(place: Place) -> None:
    async with Agent(place.script(SLEEPS), home=place.home, mode="full") as agent:
        async for event in agent.run("wait"):
            if isinstance(event, events.ToolStarted):
                agent.cancel("that is enough")

        assert agent.result is not None
        assert agent.result.exit == 130
    assert "that is enough" in place.logs()[0].read_text()


async def test_a_steered_text_is_read_in_the_same_turn(place: Place) -> None:
    script = READS.replace('text = "It says hello."', 'when = "in French"\ntext = "Bonjour."')
    async with Agent(place.script(script), home=place.home) as agent:
        async for event in agent.run("what do the notes say?"):
            if isinstance(event, events.ToolStarted):
                await agent.steer("in French")

        assert agent.result is not None
        assert agent.result.text == "Bonjour."
        with pytest.raises(errors.UserError, match="no turn is running"):
            await agent.steer("too late")


async def test_two_turns_at_once_are_refused(place: Place) -> None:
    async with Agent(place.script(SLEEPS), home=place.home, mode="full") as agent:
        first = agent.run("wait")
        while not isinstance(await anext(first), events.ToolStarted):
            pass
        with pytest.raises(errors.UserError, match="already running"):
            await agent.ask("me too")
        await first.aclose()
        assert (await agent.ask("now?")).text == "Going on."


async def test_a_program_answers_questions_once_and_with_reasons(place: Place) -> None:
    asked: list[Question] = []

    async def yes(question: Question) -> PersonAnswer:
        asked.append(question)
        return PersonAnswer("once")

    async with Agent(place.script(TOUCHES), home=place.home, on_approval=yes) as agent:
        assert (await agent.ask("go")).exit == 0

    assert [question.arguments for question in asked] == [{"command": "touch made.txt"}]
    assert (place.workspace / "made.txt").exists()


async def test_none_is_a_no_and_nobody_is_a_refusal_with_exit_code_3(place: Place) -> None:
    async def nothing(question: Question) -> None:
        return None

    model = place.script(TOUCHES)
    async with Agent(model, home=place.home, on_approval=nothing) as agent:
        said_no = await agent.ask("go")
    async with Agent(model, home=place.home) as agent:
        nobody = await agent.ask("go")

    assert (said_no.exit, nobody.exit) == (0, 3)
    assert not (place.workspace / "made.txt").exists()


async def test_a_program_s_always_holds_for_the_next_agent(place: Place) -> None:
    async def always(question: Question) -> PersonAnswer:
        assert question.keeps == "bash(touch made.txt)"
        return PersonAnswer("always")

    model = place.script(TOUCHES)
    async with Agent(model, home=place.home, on_approval=always) as agent:
        await agent.ask("go")
    (place.workspace / "made.txt").unlink()
    async with Agent(model, home=place.home) as agent:
        assert (await agent.ask("go")).exit == 0
    assert (place.workspace / "made.txt").exists()


async def test_an_answer_that_was_not_offered_allows_nothing(place: Place) -> None:
    async def always(question: Question) -> PersonAnswer:
        return PersonAnswer("always")

    model = place.script(TOUCHES.replace("touch made.txt", "env touch made.txt"))
    async with Agent(model, home=place.home, on_approval=always) as agent:
        with pytest.raises(RunFailed, match="answered 'always'"):
            await agent.ask("go", check=True)
    assert not (place.workspace / "made.txt").exists()


async def test_a_failed_turn_raises_only_when_asked_to(place: Place) -> None:
    model = place.script('[[answer]]\nfail = "key"\nrepeat = 2\n')
    async with Agent(model, home=place.home) as agent:
        quiet = await agent.ask("go")
        with pytest.raises(RunFailed, match="the key is not accepted") as raised:
            await agent.ask("again", check=True)

    assert quiet.exit == 1
    assert raised.value.exit_code == raised.value.result.exit == 1


async def test_the_options_mean_what_the_flags_mean(place: Place) -> None:
    model = place.script(TOUCHES + TOUCHES)
    options = {"home": place.home, "append_system": "Be brief.", "tools": ["Bash"]}
    async with Agent(model, allow=["bash(touch *)"], **options) as agent:
        allowed = await agent.ask("go")
        first = agent.session
    async with Agent(model, mode="full", deny=["bash(touch *)"], **options) as agent:
        denied = await agent.ask("go")
    async with Agent(model, mode="full", max_steps=1, **options) as agent:
        limited = await agent.ask("go")
    async with Agent(model, fork=first, **options) as agent:
        forked = agent.session

    assert (allowed.exit, denied.exit, limited.exit) == (0, 0, 4)
    assert forked not in (first, "")
    assert (place.workspace / "made.txt").exists()


async def test_a_program_can_trust_the_workspace_as_the_flag_does(place: Place) -> None:
    model = place.script('[[answer]]\ntext = "yes"\nrepeat = 3\n')
    (place.workspace / "AGENTS.md").write_text("Use tabs.")

    async def alerts(*, trust: bool) -> list[str]:
        async with Agent(model, home=place.home, trust=trust) as agent:
            told = [event async for event in agent.run("go")]
        return [event.text for event in told if isinstance(event, events.Alert)]

    before, granting, after = [await alerts(trust=trust) for trust in (False, True, False)]

    assert "AGENTS.md" in before[0]
    assert granting == after == []


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"mode": "yolo"}, errors.UsageError, "ask, accept-edits, plan, full"),
        ({"thinking": "a lot"}, errors.UsageError, "thinking"),
        ({"resume": "a", "fork": "b"}, errors.UsageError, "only one"),
        ({"max_steps": 0}, errors.UsageError, "max_steps"),
        ({"resume": "nosuch"}, errors.SessionNotFound, "nosuch"),
        ({"cwd": "missing"}, errors.UsageError, "not a directory"),
        ({"tools": ["hammer"]}, errors.UsageError, "hammer"),
        ({"allow": ["bash("]}, errors.UserError, "bash"),
    ],
)
async def test_what_cannot_be_opened_raises_when_entered(
    place: Place, options: dict, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        async with Agent(place.script(READS), home=place.home, **options):
            pass


async def test_an_agent_outside_its_block_says_so(place: Place) -> None:
    agent = Agent(place.script(READS), home=place.home)
    with pytest.raises(errors.UserError, match="not open"):
        agent.run("too early")
    with pytest.raises(TypeError, match="colour"):
        Agent("scripted/x", colour="red")  # pyright: ignore[reportCallIssue] that is the point


async def test_the_key_may_come_from_the_environment_that_is_given(place: Place) -> None:
    with AnthropicServer([say("Yes.")]) as server:
        environ = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-given"}
        async with Agent("anthropic/claude-sonnet-4-5", environ=environ, home=place.home) as agent:
            assert (await agent.ask("there?")).cost is not None
        with pytest.raises(errors.KeyMissing):
            async with Agent("anthropic/claude-sonnet-4-5", environ={}, home=place.home):
                pass


def test_importing_the_sdk_loads_neither_the_tools_nor_the_loop() -> None:
    code = (
        "import sys, induscode.sdk; print(*(m for m in sys.modules if m.startswith('induscode')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=BOUND
    )
    loaded = {name.split(".")[1] for name in done.stdout.split() if "." in name}

    assert loaded <= {"version", "errors", "kernel", "boot", "sdk"}
    assert "induscode.boot.assemble" not in done.stdout.split()


def test_the_face_is_this_and_no_more() -> None:
    import induscode.sdk

    assert sorted(induscode.sdk.__all__) == [
        *(
            "Agent",
            "AgentOptions",
            "Declined",
            "Dismissed",
            "Event",
            "Filled",
            "Form",
            "OnApproval",
            "OnForm",
            "OwnFeature",
            "PersonAnswer",
            "Question",
            "Run",
        ),
        *("RunFailed", "RunResult", "errors", "events"),
    ]
    assert all(hasattr(induscode.sdk, name) for name in induscode.sdk.__all__)
