"""`indus --rpc` against clients that do not keep to the protocol."""

import json
import random
from pathlib import Path

import pytest

from induscode.channels.rpcstreams import LineSplitter, TooLong
from tests.channels.place import Place
from tests.channels.rpc_client import RpcClient
from tests.requirements import requirement

YES = '[[answer]]\ntext = "Yes."\n'


@requirement("cli.rpc")
def test_each_kind_of_wrong_line_gets_its_error_and_the_process_goes_on(place: Place) -> None:
    cases: list[tuple[bytes, object, int]] = [
        (b"{", None, -32700),
        (b"nonsense", None, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', None, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xed\xa0\x80"}', None, -32700),
        (b'{"a": 1e999}', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'{"x":' * 5_000 + b"1" + b"}" * 5_000, None, -32700),
        (b"1", None, -32600),
        (b"null", None, -32600),
        (b"[]", None, -32600),
        (b'{"id": 1, "method": "snapshot"}', 1, -32600),
        (b'{"jsonrpc": "1.0", "id": 2, "method": "snapshot"}', 2, -32600),
        (b'{"jsonrpc": "2.0", "id": 3, "method": 4}', 3, -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "snapshot"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "snapshot"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 40 + b', "method": "snapshot"}', None, -32600),
        (b'{"jsonrpc": "2.0", "id": 5, "method": "snapshot", "params": 1}', 5, -32600),
        (b'{"jsonrpc": "2.0", "id": 6, "method": "snapshot", "params": []}', 6, -32602),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "snapshot", "params": {"a": 1}}', 7, -32602),
        (b'{"jsonrpc": "2.0", "id": 8, "method": "submit"}', 8, -32602),
        (b'{"jsonrpc": "2.0", "id": 9, "method": "submit", "params": {"text": 1}}', 9, -32602),
        (b'{"jsonrpc": "2.0", "id": 10, "method": "submit", "params": {"text": " "}}', 10, -32602),
        (b'{"jsonrpc": "2.0", "id": "x", "method": "no/such"}', "x", -32601),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "steer", "params": {"text": "a"}}', 1.5, -32002),
    ]
    with RpcClient(place, "-m", place.script(YES)) as client:
        for line, wanted, code in cases:
            client.send_line(line)
            answer = client.answer(wanted)
            assert answer["error"]["code"] == code, line[:80]
            assert answer["error"]["message"]
        assert client.result("submit", text="still there?")["text"] == "Yes."


def test_a_batch_is_answered_together_without_its_notifications(place: Place) -> None:
    with RpcClient(place, "-m", place.script(YES)) as client:
        batch = [
            {"jsonrpc": "2.0", "id": 1, "method": "submit", "params": {"text": "go"}},
            {"jsonrpc": "2.0", "method": "snapshot"},
            {"jsonrpc": "2.0", "id": 2, "method": "no/such"},
            7,
            {"jsonrpc": "2.0", "id": None, "method": "snapshot"},
        ]
        client.send_line(json.dumps(batch).encode())
        answers = client.wait(lambda message: isinstance(message, list))
        client.send_line(b'[{"jsonrpc": "2.0", "method": "snapshot"}]')
        client.result("snapshot")
        lists = [message for message in client.seen if isinstance(message, list)]
    assert [answer["id"] for answer in answers] == [1, 2, None, None]
    assert answers[0]["result"]["text"] == "Yes."
    assert answers[1]["error"]["code"] == -32601
    assert answers[2]["error"]["code"] == -32600
    assert answers[3]["result"]["session"]
    assert len(lists) == 1


def test_a_notification_is_done_and_never_answered(place: Place) -> None:
    with RpcClient(place, "-m", place.script(YES)) as client:
        client.notify("no/such")
        client.notify("submit", nonsense=1)
        client.notify("submit", text="go")
        assert client.event("result")["text"] == "Yes."
        client.result("snapshot")
        answers = [m for m in client.seen if "method" not in m]
    assert len(answers) == 1


def test_a_line_over_the_limit_is_skipped_and_the_next_is_served(place: Place) -> None:
    with RpcClient(place, "-m", place.script(YES)) as client:
        for _ in range(33):
            client.stdin.write(b"x" * 1024 * 1024)
        client.send_line(b"")
        answer = client.answer(None)
        assert client.result("snapshot")["busy"] is False
        peak = _peak_kb(client.process.pid)
    assert answer["error"]["code"] == -32700
    assert "longer than" in answer["error"]["message"]
    assert peak < 120 * 1024


def _peak_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def test_two_thousand_broken_lines_do_no_harm(place: Place) -> None:
    dice = random.Random(7)
    seeds = [
        b'{"jsonrpc":"2.0","id":1,"method":"snapshot","params":{}}',
        b'{"jsonrpc":"2.0","id":"a","method":"steer","params":{"text":"hi"}}',
        b'[{"jsonrpc":"2.0","id":2,"method":"approve","params":{"id":"x","choice":"no"}}]',
        b'{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"approval_timeout":1}}',
    ]

    def broken() -> bytes:
        line = bytearray(dice.choice(seeds))
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(line) or 1)
            match dice.randrange(4):
                case 0:
                    line[at : at + 1] = dice.randbytes(1)
                case 1:
                    del line[at : at + dice.randint(1, 9)]
                case 2:
                    line[at:at] = dice.choice([b"[", b"{", b'"', b"\\", b"\0", b"null", b"\xff"])
                case _:
                    line = bytearray(dice.randbytes(dice.randint(0, 60)))
        return bytes(line).replace(b"\n", b"").replace(b"shutdown", b"")

    with RpcClient(place, "-m", place.script(YES)) as client:
        for _ in range(2_000):
            client.send_line(broken())
        submit = client.send("submit", _id="after all that", text="still there?")
        assert client.answer(submit)["result"]["text"] == "Yes."
        client.answer(client.send("shutdown", _id="enough"))
        assert client.ends_with() == 0
        assert client.errors_said() == ""


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_lines_are_the_same_however_the_bytes_arrive(size: int) -> None:
    data = b"one\n\n  \ntwo\r\n" + b"x" * 50 + b"\nthree\n" + b"y" * 21 + b"\nfour"
    splitter = LineSplitter(limit=20)
    found: list[bytes | TooLong] = []
    for at in range(0, len(data), size):
        found += splitter.feed(data[at : at + size])
    found += splitter.rest()

    assert found == [b"one", b"two\r", TooLong(), b"three", TooLong(), b"four"]
