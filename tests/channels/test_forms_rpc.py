"""Forms of MCP servers over JSON-RPC, in a whole session with a real server."""

from __future__ import annotations

import json

from tests.channels.forms import asking, form, page, told
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.cli.home import answer
from tests.crew.delegates.family import agent_file, task

KEY = "sk-live-0123456789abcdef"
GOOD = {"account": "acme", "region": "eu", "news": True, "extras": ["c", "a"], "seats": 7}


def test_a_client_fills_in_a_form_in_the_middle_of_a_turn(place: Place) -> None:
    with RpcClient(place, *asking(place, form())) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        asked = client.event("form")
        [waits] = client.result("snapshot")["forms"]
        wrong = client.call("answer", id=asked["id"], action="accept", values={**GOOD, "seats": 0})
        unknown = client.call("answer", id=asked["id"], action="accept", values={**GOOD, "x": 1})
        nothing = client.call("answer", id="no such", action="decline")
        odd = client.call("answer", id=asked["id"], action="maybe")
        client.result("answer", id=asked["id"], action="accept", values=GOOD)
        assert client.answer(turn)["result"]["text"] == "All done."
        late = client.call("answer", id=asked["id"], action="decline")
        assert client.event("form_closed")["how"] == "accept"
        assert client.result("snapshot")["forms"] == []
    assert (asked["by"], asked["message"]) == ("the MCP server 'crm'", "Which account?")
    assert [each["name"] for each in asked["fields"]] == [
        *("account", "seats", "region", "extras", "mail", "news"),
    ]
    assert (waits["id"], waits["by"]) == (asked["id"], asked["by"])
    assert "'seats' must be at least 1" in wrong["error"]["message"]
    assert [each["error"]["code"] for each in (wrong, unknown, odd)] == [-32602] * 3
    assert [each["error"]["code"] for each in (nothing, late)] == [-32003] * 2
    assert told(place) == [{"action": "accept", "content": GOOD}]
    [entry] = [each for each in place.entries() if each.get("point") == "question"]
    assert (entry["by"], entry["decision"]) == ("mcp:crm", "accept")
    assert entry["reason"] == "Which account?"


def test_a_no_and_no_decision_are_told_apart_and_the_turn_goes_on(place: Place) -> None:
    with RpcClient(place, *asking(place, form("one"), form("two"))) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        client.result("answer", id=client.event("form")["id"], action="decline")
        client.result("answer", id=client.event("form")["id"], action="cancel")
        assert client.answer(turn)["result"]["exit"] == 0
        assert [client.event("form_closed")["how"] for _ in range(2)] == ["decline", "cancel"]
    assert told(place) == [{"action": "decline"}, {"action": "cancel"}]


def test_a_page_is_shown_with_its_host_and_accepted_without_values(place: Place) -> None:
    url = "https://login.example.com/start?state=1"
    with RpcClient(place, *asking(place, page(url))) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        asked = client.event("form")
        client.result("answer", id=asked["id"], action="accept")
        client.answer(turn)
    assert (asked["url"], asked["host"], asked["fields"]) == (url, "login.example.com", [])
    assert told(place) == [{"action": "accept"}]


def test_a_client_that_does_not_know_forms_never_waits_for_one(place: Place) -> None:
    with RpcClient(place, *asking(place, form())) as client:
        assert client.result("submit", text="go")["text"] == "All done."
    assert told(place) == [{"action": "decline"}]


def test_a_form_that_nobody_fills_in_in_time_is_no_decision(place: Place) -> None:
    with RpcClient(place, *asking(place, form())) as client:
        client.result("initialize", forms=True, approval_timeout=0.05)
        assert client.result("submit", text="go")["text"] == "All done."
    assert told(place) == [{"action": "cancel"}]


def test_the_end_of_input_dismisses_what_is_open(place: Place) -> None:
    with RpcClient(place, *asking(place, form())) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        client.event("form")
        client.stdin.close()
        assert client.answer(turn)["result"]["text"] == "All done."
        assert client.ends_with() == 0
    assert told(place) == [{"action": "cancel"}]


def test_a_stopped_turn_withdraws_its_form_and_the_next_one_can_ask(place: Place) -> None:
    with RpcClient(place, *asking(place, form("one"), form("two"))) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        first = client.event("form")
        client.result("abort")
        assert client.answer(turn)["result"]["exit"] == 130
        assert client.event("form_closed") | {"at": ""} == {
            "type": "form_closed",
            "id": first["id"],
            "how": "withdrawn",
            "at": "",
        }
        assert client.result("snapshot")["forms"] == []
        again = client.send("submit", text="go on")
        second = client.event("form")
        client.result("answer", id=second["id"], action="decline")
        assert client.answer(again)["result"]["exit"] == 0
    assert second["message"] == "two"


def test_what_cannot_be_read_is_declined_and_the_person_hears_why(place: Place) -> None:
    hidden = {"type": "object", "properties": {"f": {"type": "string", "pattern": "a"}}}
    calls = (form(schema=hidden), page("javascript:alert(1)"))
    with RpcClient(place, *asking(place, *calls)) as client:
        client.result("initialize", forms=True)
        assert client.result("submit", text="go")["text"] == "All done."
        reasons = [client.event("fault")["message"] for _ in calls]
        assert not [event for event in client.events() if event["type"] == "form"]
    assert reasons[0].startswith("the MCP server 'crm' asked what cannot be put to you: ")
    assert "'pattern'" in reasons[0]
    assert "neither https nor http" in reasons[1]
    assert told(place) == [{"action": "decline"}] * 2


def test_a_key_that_the_client_gives_is_not_sent(place: Place) -> None:
    stored = place.home / "credentials.json"
    stored.write_text(json.dumps({"openai": {"key": KEY}}))
    stored.chmod(0o600)
    with RpcClient(place, *asking(place, form())) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        values = {**GOOD, "account": f"key {KEY}"}
        client.result("answer", id=client.event("form")["id"], action="accept", values=values)
        client.answer(turn)
        assert "it held a secret of yours" in client.event("fault")["message"]
        assert client.event("form_closed")["how"] == "decline"
    assert told(place) == [{"action": "decline"}]


def test_in_print_mode_and_json_mode_there_is_nobody_to_ask(place: Place) -> None:
    for more in ((), ("--json",)):
        words = asking(place, form())
        ran = place.run("-p", "go", *words, *more)
        assert ran.returncode == 0, ran.stderr
        assert "form" not in [json.loads(line)["type"] for line in ran.stdout.splitlines() if more]
        assert told(place) == [{"action": "decline"}]


def test_a_form_for_a_delegate_says_for_which(place: Place) -> None:
    script = place.workspace.with_name("leaf.toml")
    script.write_text(answer("", form()) + answer("Leaf."))
    agent_file(place.home / "agents", "leaf", model=f"scripted/{script}")
    words = asking(place, task("tidy up", "leaf"))
    with RpcClient(place, *words) as client:
        client.result("initialize", forms=True)
        turn = client.send("submit", text="go")
        asked = client.event("form")
        client.result("answer", id=asked["id"], action="decline")
        assert client.answer(turn)["result"]["text"] == "All done."
    assert asked["by"] == "the MCP server 'crm'"
    assert asked["asker"] == "delegate leaf: tidy up"
