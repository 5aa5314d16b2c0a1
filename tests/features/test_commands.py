"""`indus feature list` and `indus grants`: what there is, what it may, and taking it away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from induscode.feature.capability import ScopedFs, WorkItemStore
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.hosting.grant_store import GrantStore
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.requirements import requirement

ON = "[features]\nwork-item = true\n"
CREATE = """
[[answer]]
[[answer.call]]
name = "work_item_create"
arguments = { title = "One" }
[[answer]]
text = "Created."
[[answer]]
[[answer.call]]
name = "work_item_create"
arguments = { title = "Two" }
[[answer]]
text = "Tried."
"""


def reports(place: Place) -> dict[str, dict]:
    done = place.run("feature", "list", "--json")
    assert done.returncode == 0, done.stderr
    return {report["feature_id"]: report for report in json.loads(done.stdout)}


@requirement(
    "feature.single-layer",
    "feature.builtins.declare",
    "feature.builtins.names-preserved",
    "feature.diagnostic.recorded",
)
def test_every_tool_that_ships_belongs_to_a_feature_that_declares_what_it_uses(
    place: Place,
) -> None:
    listed = reports(place)

    assert {name: report["installed_tools"] for name, report in listed.items()} == {
        "builtin:files": ["read", "ls", "write", "edit"],
        "builtin:search": ["grep", "find"],
        "builtin:web": ["websearch", "webfetch"],
        "builtin:checklist": ["todo_read", "todo_set", "todo"],
        "builtin:shell": ["bash", "process", "bg-process"],
        "builtin:delegate": ["task"],
        "builtin:connectors": ["saas-action"],
        "builtin:memory": ["memory"],
        "builtin:plan": ["enter_plan_mode", "exit_plan_mode"],
    }
    for report in listed.values():
        assert report["enabled"]
        assert all(request["reason"] for request in report["requested"])
        assert report["prompt_tokens"] > 0
        assert len(report["package"]) == 64
    shown = place.run("feature", "list").stdout
    assert "builtin:files" in shown
    assert "scoped-fs(read, write)" in shown


@requirement("feature.capability.required-or-optional", "invariant.06.withdrawn-while-running")
def test_a_grant_withdrawn_by_another_process_counts_at_the_next_call(place: Place) -> None:
    (place.home / "config.toml").write_text(ON)
    with RpcClient(place, "-m", place.script(CREATE), "--mode", "full") as client:
        client.result("submit", text="one")
        done = place.run("grants", "withdraw", "builtin:work-item", "work-item-store(write)")
        assert done.returncode == 0, done.stderr
        client.result("submit", text="two")
    ended = [entry for entry in place.entries() if entry["type"] == "result"]
    assert [entry["outcome"] for entry in ended] == ["ok", "denied"]
    assert "withdrawn" in ended[1]["content"][0]["text"]
    items = sorted(path.name for path in (place.workspace / ".indus/work-items").glob("*.json"))
    assert items == ["W-0001.json"]
    assert reports(place)["builtin:work-item"]["enabled"] is False
    assert place.run("grants", "give", "builtin:work-item", "work-item-store(write)").stderr == ""
    assert reports(place)["builtin:work-item"]["enabled"] is True


@requirement("cli.command.grants")
def test_grants_are_shown_given_and_taken_back(place: Place) -> None:
    (place.home / "config.toml").write_text(ON)
    script = '[[answer]]\n[[answer.call]]\nname = "bash"\narguments = { command = "mkdir made" }\n'
    with RpcClient(place, "-m", place.script(f'{script}[[answer]]\ntext = "Made."\n')) as client:
        turn = client.send("submit", text="one")
        asked = client.event("approval")
        client.result("approve", id=asked["id"], choice="always")
        assert client.answer(turn)["result"]["text"] == "Made."
    [[rule]] = granted(place)["rules"].values()
    assert rule["text"] in place.run("grants").stdout

    feature, alert = "builtin:work-item", "emit-alert"
    states = []
    for action in ("withdraw", "give"):
        assert place.run("grants", action, feature, alert).returncode == 0
        states.append(granted(place)["features"][feature].get("withdrawn", []))
    assert [[one["kind"] for one in state] for state in states] == [[alert], []]

    assert place.run("grants", "revoke", rule["text"]).returncode == 0
    assert granted(place)["rules"] == {str(place.workspace): []}
    assert 'nothing is allowed for "always" here' in place.run("grants").stdout


def granted(place: Place) -> dict[str, dict]:
    return json.loads(place.run("grants", "--json").stdout)


def test_a_tool_whose_own_grant_is_withdrawn_is_denied_at_the_next_call(place: Place) -> None:
    (place.home / "config.toml").write_text(ON)
    with RpcClient(place, "-m", place.script(CREATE), "--mode", "full") as client:
        client.result("submit", text="one")
        place.run("grants", "withdraw", "builtin:work-item", "contribute-tool(work_item_create)")
        client.result("submit", text="two")
    ended = [entry for entry in place.entries() if entry["type"] == "result"]
    assert [entry["outcome"] for entry in ended] == ["ok", "denied"]


def test_what_is_denied_is_told_without_being_asked_for(place: Place) -> None:
    (place.home / "config.toml").write_text(ON)
    place.run("grants", "withdraw", "builtin:work-item", "work-item-store(read)")

    ran = place.run("-p", "hi", "-m", place.script('[[answer]]\ntext = "Hello."\n'))

    assert (ran.returncode, ran.stdout) == (0, "Hello.\n")
    assert "builtin:work-item: not installed: it needs work-item-store(read, write)" in ran.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("give", "builtin:nothing", "emit-alert"), "known: builtin:files, builtin:search"),
        (("give", "builtin:files"), "it asks for 'scoped-fs(read)', 'scoped-fs(read, write)'"),
        (("withdraw", "builtin:files", "fly"), "there are contribute-tool"),
        (("withdraw", "builtin:files", "scoped-fs(fly)"), "say which of read, write, execute"),
        (("revoke",), "`indus grants` lists them"),
        (("list", "x"), "see: indus grants --help"),
    ],
)
def test_a_wrong_word_is_told_with_what_there_is(
    place: Place, words: tuple[str, ...], told: str
) -> None:
    done = place.run("grants", *words)

    assert done.returncode == 2
    assert told in done.stderr


@requirement("feature.report.no-secrets")
def test_a_planted_key_is_in_no_report(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "sk-canary-0123456789abcdef"
    (place.home / "config.toml").write_text(f'{ON}\n[providers.own]\nwire = "anthropic"\n')
    (place.home / "credentials.json").write_text(json.dumps({"own": {"key": canary}}))
    (place.home / "credentials.json").chmod(0o600)
    folder = place.workspace / ".indus" / "work-items"
    folder.mkdir(parents=True)
    (folder / "W-0001.json").write_text(f'{{"broken": "{canary}"')

    for words in (("feature", "list"), ("feature", "list", "--json"), ("grants", "--json")):
        done = place.run(*words)
        assert done.returncode == 0
        assert canary not in done.stdout + done.stderr


@requirement("invariant.06.grant-bound-to-digest")
def test_a_grant_holds_for_one_content_and_one_version_only(tmp_path: Path) -> None:
    store = GrantStore(tmp_path)
    made = FeatureDescriptor.builder(FeatureId.user("x")).version("1").build()
    wanted = ScopedFs(read=True)
    store.give(made, "a" * 64, [ScopedFs(read=True, write=True)], "now")

    newer = FeatureDescriptor.builder(FeatureId.user("x")).version("2").build()
    other = FeatureDescriptor.builder(FeatureId.user("y")).version("1").build()
    assert store.port(made, "a" * 64).denial(wanted) is None
    assert "other content" in (store.port(made, "b" * 64).denial(wanted) or "")
    assert "other content" in (store.port(newer, "a" * 64).denial(wanted) or "")
    assert "not granted" in (store.port(other, "a" * 64).denial(wanted) or "")
    assert "not granted" in (store.port(made, "a" * 64).denial(WorkItemStore(read=True)) or "")


def test_what_is_given_back_in_part_stays_withdrawn_in_part(tmp_path: Path) -> None:
    store = GrantStore(tmp_path)
    made = FeatureDescriptor.builder(FeatureId.builtin("x")).build()
    port = store.port(made, "")
    assert port.denial(ScopedFs(read=True, write=True)) is None

    store.withdraw("builtin:x", [ScopedFs(read=True, write=True)], "now")
    store.give(made, "", [ScopedFs(read=True)], "now")

    assert port.denial(ScopedFs(read=True)) is None
    assert port.denial(ScopedFs(write=True)) is not None
    assert port.denial(ScopedFs(read=True, write=True)) is not None
    assert port.denial(ScopedFs(execute=True)) is None


def test_a_damaged_file_of_grants_grants_nothing_and_says_so(tmp_path: Path) -> None:
    store = GrantStore(tmp_path)
    store.file.write_text("{")
    made = FeatureDescriptor.builder(FeatureId.builtin("x")).build()

    told = store.port(made, "").denial(ScopedFs(read=True)) or ""

    assert "grants.json" in told
    assert "remove it to grant anew" in told
