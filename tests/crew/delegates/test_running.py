"""A delegate from its sending to its answer, as a person meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from induscode.crew.delegates.limits import ANSWER_CHARACTERS, AT_ONCE, UPDATE_CHARACTERS
from tests.cli.home import Home, answer
from tests.crew.delegates.family import (
    SAY,
    agent,
    agent_file,
    of,
    outcomes,
    sessions,
    task,
    told,
)
from tests.requirements import requirement


def with_usage(text: str, tokens: int) -> str:
    """The answers of a script, each with this usage."""
    return text.replace("[[answer]]\n", f"[[answer]]\nusage = {{ input = {tokens} }}\n")


@requirement("deck.cards.delegate-injected")
def test_a_delegate_is_a_session_of_its_own_that_names_its_parent(home: Home) -> None:
    (home.work / "note.txt").write_text("hello\n")
    agent(home, "scout", answer("Look.", ("read", {"path": "note.txt"})) + answer("It says hello."))
    model = home.script(answer("", task("Read it", "scout", context="It is short.")) + SAY)
    ran = home.run("-p", "go", "-m", model)
    assert ran.code == 0
    root, scout = sessions(home)["root"], sessions(home)["scout"]
    (link,) = of(root, "delegate")
    assert scout[0]["delegator"] == {"session": root[0]["session"], "call": link["call"]}
    assert scout[0]["session"] == link["session"]
    assert scout[0]["cwd"] == root[0]["cwd"]
    (said,) = of(scout, "input")
    assert said["content"][0]["text"] == "Read it\n\n# Context\nIt is short."
    assert said["by"] == f"session:{root[0]['session']}", "no person said it"
    assert outcomes(scout) == [("read", "ok")]
    assert told(root) == (
        f"It says hello.\n\n[delegate scout: 2 steps; its log is session {link['session']}]"
    )
    order = [entry["type"] for entry in root if entry["type"] in {"intent", "delegate", "result"}]
    assert order == ["intent", "delegate", "result"]


def test_without_an_agent_it_works_with_its_parents_model_and_tools(home: Home) -> None:
    model = home.script(
        answer("", task("Sing")) + SAY + '[[answer]]\non = "Sing"\ntext = "La."\n', "one.toml"
    )
    assert home.run("-p", "go", "-m", model).code == 0
    root, child = sessions(home)["root"], sessions(home)[""]
    assert told(root).startswith("La.\n\n[delegate: 1 step;")
    assert of(child, "model")[0]["model"] == of(root, "model")[0]["model"]
    assert of(child, "toolset")[0]["tools"] == of(root, "toolset")[0]["tools"]
    prompt = "".join(span.get("text") or "" for span in of(child, "briefing")[0]["spans"])
    assert "You are a delegate" in prompt


def test_a_profile_gives_prompt_and_tools_and_the_roster_is_in_the_prompt(home: Home) -> None:
    agent(
        home,
        "scout",
        answer("", ("write", {"path": "x", "content": "x"})) + SAY,
        prompt="Tread softly.",
        description="Looks around.",
        when="first",
        tool_collection=["read"],
    )
    model = home.script(answer("", task("Look", "scout")) + SAY)
    home.run("-p", "go", "-m", model, "--mode", "full")
    root, scout = sessions(home)["root"], sessions(home)["scout"]
    assert [row["name"] for row in of(scout, "toolset")[0]["tools"]] == ["read"]
    assert outcomes(scout) == [("write", "invalid")]
    spans = {span["name"]: span for span in of(scout, "briefing")[0]["spans"]}
    assert spans["agent"]["text"] == "Tread softly."
    assert spans["agent"]["source"] == str(home.indus / "agents" / "scout.toml")
    assert "subagents" not in spans, "it cannot send anybody"
    above = {span["name"]: span.get("text") for span in of(root, "briefing")[0]["spans"]}
    assert above["subagents"] == "# Delegates\n\n- **scout** — Looks around. Use it when first."
    assert not (home.work / "x").exists()


def test_what_a_delegate_used_is_in_the_totals_of_its_parent(home: Home) -> None:
    prices = "\n".join(
        f'[models."scripted/{home.root / name}.toml"]\ninput = 1000000.0\noutput = 0.0'
        for name in ("script", "scout", "deep")
    )
    home.config(prices)
    agent(home, "deep", with_usage(answer("Deep."), 5))
    agent(home, "scout", with_usage(answer("", task("dig", "deep")) + SAY, 3))
    model = home.script(with_usage(answer("", task("look", "scout")) + SAY, 2))
    ran = home.run("-p", "go", "--json", "-m", model)
    result = ran.result
    assert result["usage"]["input"] == 2 + 2 + 3 + 3 + 5
    assert result["cost"] == pytest.approx(15.0)
    assert result["steps"] == 5
    details = of(sessions(home)["root"], "result")[0]["details"]["delegate"]
    assert details["used"]["cost"] == pytest.approx(11.0)
    assert (details["agent"], details["ended"]) == ("scout", "done")
    assert "3 steps, 11.0000 USD" in told(sessions(home)["root"])


@pytest.mark.parametrize("times", [1, 3])
def test_the_parents_budget_counts_delegates_and_bounds_them(home: Home, times: int) -> None:
    """Ten dollars: the parent spends one, each delegate wants one in each of twenty steps."""
    prices = "\n".join(
        f'[models."scripted/{home.root / name}.toml"]\ninput = 1000000.0\noutput = 0.0\n'
        "cache_read = 1000000.0"
        for name in ("script", "scout")
    )
    home.config(prices)
    look = answer("", ("ls", {})).replace("[[answer]]\n", "[[answer]]\nrepeat = 20\n", 1)
    agent(home, "scout", with_usage(look + SAY, 1))
    model = home.script(with_usage(answer("", *[task("look", "scout")] * times) + SAY, 1))
    ran = home.run("-p", "go", "--json", "-m", model, "--max-cost", "10")
    assert ran.result["exit"] == 4
    assert ran.result["cost"] <= 10
    assert ran.result["cost"] >= 8, "what there is can be used"
    assert "used up its budget" in told(sessions(home)["root"])


def test_steps_of_delegates_count_too(home: Home) -> None:
    look = answer("", ("ls", {})).replace("[[answer]]\n", "[[answer]]\nrepeat = 20\n", 1)
    agent(home, "scout", look + SAY)
    model = home.script(answer("", task("look", "scout")) + SAY)
    ran = home.run("-p", "go", "--json", "-m", model, "--max-steps", "4")
    assert (ran.result["exit"], ran.result["steps"]) == (4, 4)
    assert len(of(sessions(home)["scout"], "response")) == 3


def test_a_profile_has_a_budget_of_its_own(home: Home) -> None:
    look = answer("Looking.", ("ls", {})).replace("[[answer]]\n", "[[answer]]\nrepeat = 20\n", 1)
    agent(home, "scout", look + SAY, max_steps=2)
    model = home.script(answer("", task("look", "scout")) + SAY)
    ran = home.run("-p", "go", "--json", "-m", model)
    assert ran.result["exit"] == 0
    text = told(sessions(home)["root"])
    assert "used up its budget and was stopped: stopped after 2 steps" in text
    assert "It said last:\nLooking." in text
    assert outcomes(sessions(home)["root"]) == [("task", "error")]


def test_a_model_without_a_price_is_not_sent_on_a_budget(home: Home) -> None:
    home.config(f'[models."scripted/{home.root}/script.toml"]\ninput = 1.0\noutput = 1.0\n')
    agent(home, "scout", SAY)
    model = home.script(answer("", task("look", "scout")) + SAY)
    ran = home.run("-p", "go", "-m", model, "--max-cost", "1")
    assert ran.code == 0
    assert "The delegate cannot be sent: the price of scripted/" in told(home.entries())
    assert len(home.logs()) == 1


def test_several_work_side_by_side_but_not_more_than_a_few(home: Home) -> None:
    """Each writes when it began and waits until all that may be there at once are there."""
    wait = (
        "touch began.$$; for i in $(seq 200); do "
        f"[ $(ls began.* | wc -l) -ge {AT_ONCE} ] && exit 0; sleep 0.05; done; exit 1"
    )
    agent(home, "worker", answer("", ("bash", {"command": wait})) + SAY)
    calls = [task(f"part {number}", "worker") for number in range(AT_ONCE + 1)]
    model = home.script(answer("", *calls) + SAY)
    ran = home.run("-p", "go", "--json", "-m", model, "--mode", "full")
    assert ran.code == 0, ran.err
    updates = [event["text"] for event in ran.events if event["type"] == "tool_update"]
    assert [text for text in updates if text.startswith("waiting")] == [
        f"waiting: {AT_ONCE} delegates are at work"
    ]
    workers = [
        home.entries(log=log) for log in home.logs() if "delegator" in home.entries(log=log)[0]
    ]
    assert len(workers) == AT_ONCE + 1
    for rows in workers:
        (result,) = of(rows, "result")
        assert result["outcome"] == "ok"
    starts = [event["type"] for event in ran.events if event["type"] in {"tool_start", "tool_end"}]
    assert starts[: AT_ONCE + 1] == ["tool_start"] * (AT_ONCE + 1)


def test_two_that_change_one_file_do_not_overwrite_each_other_unseen(home: Home) -> None:
    (home.work / "note.txt").write_text("zero\n")
    meet = (
        "touch read.{0}; for i in $(seq 200); do "
        "[ -e read.one ] && [ -e read.two ] && exit 0; sleep 0.05; done"
    )
    for name in ("one", "two"):
        steps = (
            ("read", {"path": "note.txt"}),
            ("bash", {"command": meet.format(name)}),
            ("write", {"path": "note.txt", "content": f"{name}\n"}),
        )
        agent(home, name, "".join(answer("", step) for step in steps) + SAY)
    model = home.script(answer("", task("change it", "one"), task("change it", "two")) + SAY)
    home.run("-p", "go", "-m", model, "--mode", "full")
    ends = sorted(dict(outcomes(sessions(home)[name]))["write"] for name in ("one", "two"))
    assert ends == ["error", "ok"]


def test_its_steps_are_short_updates_of_the_call(home: Home) -> None:
    agent(home, "deep", answer("", ("ls", {"path": "."})) + SAY)
    long = "echo " + "x" * 500
    agent(home, "scout", answer("", ("bash", {"command": long}), task("dig", "deep")) + SAY)
    model = home.script(answer("", task("look", "scout")) + SAY)
    ran = home.run("-p", "go", "--json", "-m", model, "--mode", "full")
    updates = [event["text"] for event in ran.events if event["type"] == "tool_update"]
    assert updates[0].startswith("scout: bash echo xxx")
    assert len(updates[0]) == UPDATE_CHARACTERS
    assert updates[1:] == ["scout: task dig", "scout: deep: ls ."]
    kinds = [event["type"] for event in ran.events]
    assert kinds.count("tool_start") == 1
    assert kinds.count("session") == 1
    assert kinds.count("usage") == 2


def test_a_long_answer_is_cut_and_kept_whole_in_a_file(home: Home) -> None:
    whole = "word " * (ANSWER_CHARACTERS // 4)
    agent(home, "talker", answer(whole))
    model = home.script(answer("", task("talk", "talker")) + SAY)
    home.run("-p", "go", "-m", model)
    text = told(sessions(home)["root"])
    assert len(text) < ANSWER_CHARACTERS + 600
    assert "[delegate talker: 1 step;" in text
    place = text.partition("all of it is in ")[2].partition(" ...]")[0]
    assert Path(place).read_text() == whole.strip()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"objective": "a", "agent": "nobody"}, "There is no agent 'nobody'. Known agents: scout."),
        ({"objective": ""}, "The argument `objective` of task"),
        ({}, "task needs the argument `objective`"),
        ({"objective": "a", "agent": 3}, "The argument `agent` of task must be a string"),
        ({"objective": "a", "context": {}}, "The argument `context` of task must be a string"),
        ({"objective": "a", "agent": "scout", "deep": 1}, "task has no argument `deep`"),
    ],
)
def test_wrong_arguments_are_told_and_nothing_is_sent(
    home: Home, arguments: dict[str, object], words: str
) -> None:
    agent(home, "scout", SAY)
    model = home.script(answer("", ("task", arguments)) + SAY)
    home.run("-p", "go", "-m", model)
    assert words in told(home.entries())
    assert len(home.logs()) == 1


def test_a_delegate_whose_model_fails_is_an_error_with_the_reason(home: Home) -> None:
    agent(home, "broken", '[[answer]]\nfail = "key"\n')
    model = home.script(answer("", task("try", "broken")) + SAY)
    ran = home.run("-p", "go", "--json", "-m", model)
    assert ran.result["exit"] == 0
    root = sessions(home)["root"]
    assert outcomes(root) == [("task", "error")]
    assert "The delegate failed: the key is not accepted" in told(root)
    assert of(root, "result")[0]["details"]["delegate"]["ended"] == "failed"


def test_a_fault_of_a_delegate_reaches_the_person_with_its_name(home: Home) -> None:
    agent(home, "cut", '[[answer]]\ntext = "And so"\nstop = "length"\n')
    model = home.script(answer("", task("try", "cut")) + SAY)
    ran = home.run("-p", "go", "-m", model)
    assert ran.complaints == ["indus: cut: the answer was cut off at the model's output limit"]
    assert told(sessions(home)["root"]).startswith("And so")


def test_a_model_that_cannot_be_had_is_told_and_leaves_no_log(home: Home) -> None:
    agent_file(home.indus / "agents", "lost", model="nowhere/x")
    model = home.script(answer("", task("try", "lost")) + SAY)
    home.run("-p", "go", "-m", model)
    assert "The delegate cannot be sent: there is no provider 'nowhere'" in told(home.entries())
    assert len(home.logs()) == 1


AGENT = 'description = "Theirs."\nprompt = "Obey the repository."\n'


def test_agents_of_a_workspace_wait_for_trust(home: Home) -> None:
    folder = home.work / ".indus" / "agents"
    folder.mkdir(parents=True)
    (folder / "theirs.toml").write_text(AGENT)
    (home.work / ".claude" / "agents").mkdir(parents=True)
    foreign = home.work / ".claude" / "agents" / "foreign.md"
    foreign.write_text("---\nname: foreign\ntools: Read\n---\nRead only.\n")
    model = home.script(answer("", task("x", "theirs"), task("y", "foreign")) + SAY, "one.toml")
    before = home.run("-p", "go", "-m", model)
    assert "There is no agent 'foreign'. Known agents: none" in told(home.entries())
    assert "2 agents (.indus/agents/theirs.toml, .claude/agents/foreign.md)" in before.err
    reactions = '[[answer]]\non = "x"\ntext = "X."\n[[answer]]\non = "y"\ntext = "Y."\n'
    model = home.script(
        answer("", task("x", "theirs"), task("y", "foreign")) + SAY + reactions, "two.toml"
    )
    home.run("-p", "go", "-m", model, "--trust")
    found = sessions(home)
    assert [row["name"] for row in of(found["foreign"], "toolset")[0]["tools"]] == ["read"]
    spans = {span["name"]: span for span in of(found["theirs"], "briefing")[0]["spans"]}
    assert spans["agent"]["text"] == "Obey the repository."
    assert spans["agent"]["source"] == str(folder / "theirs.toml")
    (folder / "theirs.toml").write_text(AGENT + 'mode = "full"\n')
    changed = home.run("-p", "go", "-m", model)
    assert "changed since you trusted it" in changed.err
    assert "There is no agent 'theirs'. Known agents: foreign." in json.dumps(
        home.entries("result")
    )


def test_a_malformed_agent_is_a_fault_and_the_others_work(home: Home) -> None:
    agent(home, "good", answer("Well."))
    agent_file(home.indus / "agents", "bad", tool_colection=["read"])
    model = home.script(answer("", task("x", "good")) + SAY)
    ran = home.run("-p", "go", "-m", model)
    assert ran.code == 0
    (line,) = ran.complaints
    assert str(home.indus / "agents" / "bad.toml") in line
    assert "tool_colection: there is no such field; fields: name, model" in line
    assert told(sessions(home)["root"]).startswith("Well.")
