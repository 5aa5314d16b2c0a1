"""JSON mode: one event per line, the last one the result, with totals of this run only."""

from __future__ import annotations

from datetime import datetime

from tests.cli.home import Home, answer
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.anthropic_steps import call, fail, say
from tests.requirements import requirement

TYPES = {
    "session", "text", "thinking", "tool_start", "tool_update", "tool_end", "notice", "alert",
    "hook", "approval", "form", "form_closed", "fault", "usage", "result",
}  # fmt: skip


@requirement("cli.json", "cli.json.event-types")
def test_every_line_is_an_event_with_a_type_and_a_time(home: Home) -> None:
    steps = [
        fail(529, retry_after=0.01),
        call("bash", command="ls -a"),
        call("bash", command="touch made"),
        say("Done.", thinking="Was it so?"),
    ]
    home.config("colour = 'red'\n")
    with AnthropicServer(steps) as server:
        home.url = server.url
        ran = home.run("-p", "go", "--json", "--thinking", "low")
    types = [event["type"] for event in ran.events]
    assert set(types) <= TYPES
    assert types[0] == "session"
    assert types[-1] == "result"
    assert {"fault", "alert", "tool_start", "tool_end", "thinking", "text", "usage"} <= set(types)
    for event in ran.events:
        assert datetime.fromisoformat(event["at"]).tzinfo is not None
    first = ran.events[0]
    assert (first["version"], first["resumed"], first["mode"]) == (1, False, "ask")
    started = next(event for event in ran.events if event["type"] == "tool_start")
    ended = next(event for event in ran.events if event["type"] == "tool_end")
    assert started["call"] == ended["call"]
    assert started["arguments"] == {"command": "ls -a"}
    assert (ended["outcome"], ".." in ended["text"]) == ("ok", True)


@requirement("cli.json.result-line")
def test_the_last_line_has_the_promised_fields(home: Home) -> None:
    usage = {"input": 100, "output": 20, "cache_read": 1000, "cache_write": 10}
    with AnthropicServer([say("Done.", usage=usage)]) as server:
        home.url = server.url
        result = home.run("-p", "go", "--json").result
    assert result.keys() == {"type", "session", "text", "steps", "usage", "cost", "exit", "at"}
    assert result["session"] == home.logs()[-1].stem
    assert (result["text"], result["steps"], result["exit"]) == ("Done.", 1, 0)
    assert result["usage"] == usage
    expected = (100 * 3 + 20 * 15 + 1000 * 0.3 + 10 * 3.75) / 1_000_000
    assert abs(result["cost"] - expected) < 1e-9


@requirement("cli.json.totals-of-this-run")
def test_the_totals_of_a_resumed_session_are_those_of_the_run(home: Home) -> None:
    steps = [call("bash", command="ls"), say("One."), say("Two.", usage={"input": 5, "output": 6})]
    with AnthropicServer(steps) as server:
        home.url = server.url
        first = home.run("-p", "one", "--json").result
        second = home.run("-c", "-p", "two", "--json")
    assert (first["steps"], first["usage"]["input"]) == (2, 20)
    assert second.events[0]["resumed"] is True
    assert second.result["steps"] == 1
    assert second.result["usage"] == {"input": 5, "output": 6, "cache_read": 0, "cache_write": 0}
    assert second.result["cost"] < first["cost"]


@requirement("files.config.unknown-model")
def test_a_model_without_a_known_price_costs_null(home: Home) -> None:
    with AnthropicServer([say("Done.")]) as server:
        home.url = server.url
        result = home.run("-p", "x", "--json", "-m", "anthropic/claude-of-tomorrow").result
    assert result["cost"] is None
    assert server.requests[0].json["model"] == "claude-of-tomorrow"


def test_a_failed_run_ends_in_a_result_too(home: Home) -> None:
    with AnthropicServer([fail(401, "no")]) as server:
        home.url = server.url
        ran = home.run("-p", "x", "--json")
    assert ran.code == ran.result["exit"] == 1
    assert (ran.result["text"], ran.result["steps"]) == ("", 0)
    fault = ran.events[-2]
    assert (fault["type"], fault["fatal"]) == ("fault", True)
    assert "does not accept the key" in fault["message"]


def test_a_refused_call_and_a_spent_budget_have_their_codes_in_the_result(home: Home) -> None:
    touch = ("bash", {"command": "touch x"})
    model = home.script(answer("", touch) + answer("Done."))
    for words, code in (((), 3), (("--max-steps", "1"), 4)):
        ran = home.run("-p", "x", "--json", "-m", model, *words)
        assert ran.code == ran.result["exit"] == code
