"""A server that says everything but what it should, and `frames`, which makes that up.

python hostile.py SEED: it speaks 2025-11-25. Its tool `flood` says `count` frames before it answers
anything at all; `ping` answers. Its lists are wrong at times. It reads all that it is told.
"""

import json
import random
import sys
import threading
from collections.abc import Callable, Iterator

VALUES = (
    None, True, 0, -1, 7, 1e300, 10**30, "", "x", "\ud800", "\0", [], [None], {}, {"": {}},
    {"_meta": 7}, [[[]]], {"type": "text"}, "2025-11-25", "tools/call",
)  # fmt: skip
IDS = (0, -1, 1.5, 10**20, 10**400, "", "unknown", "\ud800", None, True, [], {})
METHODS = (
    "notifications/progress", "notifications/message", "notifications/cancelled",
    "notifications/tools/list_changed", "notifications/prompts/list_changed",
    "notifications/resources/updated", "notifications/subscriptions/acknowledged",
    "notifications/initialized", "notifications/elicitation/complete", "notifications/nothing",
    "elicitation/create", "roots/list", "sampling/createMessage", "ping", "tools/call",
    "initialize", "server/discover", "", "\0",
)  # fmt: skip
TOOL = {"name": "ping", "description": "Answer.", "inputSchema": {"type": "object"}}
FLOOD = {**TOOL, "name": "flood"}
GOOD = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "x"}]}}
LISTS = (
    {"tools": [{**TOOL, "name": 7}]},
    {"tools": [{**TOOL, "inputSchema": []}]},
    {"tools": {"ping": TOOL}},
    {"tools": [TOOL], "nextCursor": "again"},
    {"tools": [{**TOOL, "name": f"ping{number}"} for number in range(20_000)]},
    {"tools": [TOOL, TOOL, FLOOD]},
    {"tools": [{**TOOL, "annotations": "none"}]},
    {"tools": [{**TOOL, "outputSchema": {"$ref": "#/x"}}, FLOOD]},
    {},
    [],
    7,
)
RESULTS = (
    None, 7, "pong", [], {}, {"content": None}, {"content": "pong"}, {"content": [7]},
    {"content": [{"type": "text"}]}, {"content": [{"type": "nothing", "text": "x"}]},
    {"content": [{"type": "text", "text": "\ud800"}]}, {"content": [], "isError": "yes"},
    {"content": [{"type": "image", "data": "???", "mimeType": "image/png"}]},
    {"content": [{"type": "audio", "data": 7, "mimeType": "x"}]},
    {"content": [{"type": "resource", "resource": {"uri": "x://y", "blob": "!"}}]},
    {"content": [{"type": "resource_link", "uri": 7, "name": "x"}]},
    {"content": [], "structuredContent": {"value": float("nan")}},
    {"content": [], "structuredContent": [1]}, {"content": [], "_meta": 7},
    {"content": [], "resultType": "input_required"}, {"resultType": "input_required"},
    {"content": [{"type": "text", "text": "x"}] * 5_000},
)  # fmt: skip
ERRORS = (None, 7, {}, {"code": "x"}, {"code": 10**30, "message": 7}, {"code": -32000, "data": []})


def text(value: object) -> bytes:
    """As JSON. What has no bytes stays as an escape."""
    return json.dumps(value).encode()


def request(dice: random.Random, ids: list[object]) -> object:
    """Something asked of the client, or told to it."""
    method = dice.choice(METHODS)
    params: object = dice.choice(VALUES)
    if dice.random() < 0.5:
        token = dice.choice((*IDS, *ids[-3:]))
        params = {"progressToken": token, "requestId": token, "progress": dice.choice(VALUES)}
    made = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        made["id"] = dice.choice((*IDS, dice.randrange(10**6)))
    return made


def response(dice: random.Random, ids: list[object]) -> object:
    """An answer to nobody, or once more to a request of before."""
    made = {"jsonrpc": "2.0", "id": dice.choice((*IDS, *ids[-50:-1], dice.randrange(10**6)))}
    if dice.random() < 0.3:
        return {**made, "error": dice.choice(ERRORS)}
    return {**made, "result": dice.choice(RESULTS)}


def misshapen(dice: random.Random, ids: list[object]) -> object:
    """A good message with something wrong in it."""
    made: dict[str, object] = dict(GOOD)
    for _ in range(dice.randrange(1, 4)):
        name = dice.choice((*made, "method", "params", "error", "extra"))
        if dice.random() < 0.3:
            made.pop(name, None)
        else:
            made[name] = dice.choice(VALUES)
    if ids and made.get("id") == ids[-1]:
        made["id"] = "other"
    return made


def nested(dice: random.Random, ids: list[object]) -> bytes:
    depth = dice.choice((10, 150, 250, 2_000, 30_000))
    opening, closing = dice.choice(((b"[", b"]"), (b'{"a":', b"}")))
    made = opening * depth + b"1" + closing * depth * dice.randrange(2)
    return b'{"jsonrpc":"2.0","method":"notifications/message","params":%s}' % made


def broken(dice: random.Random, ids: list[object]) -> bytes:
    """No JSON, or hardly."""
    whole = text(response(dice, ids))
    return dice.choice(
        (
            lambda: whole[: dice.randrange(len(whole))],
            lambda: whole + b"\r",
            lambda: b"",
            lambda: b"\r",
            lambda: b" \t " * dice.randrange(40),
            lambda: whole.replace(b'"', b"\xff", 1),
            lambda: dice.randbytes(dice.randrange(1, 60)).replace(b"\n", b" "),
            lambda: b"\xef\xbb\xbf" + whole,
            lambda: b"[" + whole + b"," + whole + b"]",
            lambda: b'{"jsonrpc":"2.0","id":NaN,"result":{"x":-Infinity}}',
            lambda: b'{"jsonrpc":"2.0","id":1e999,"result":{}}',
            lambda: b'{"jsonrpc":"2.0","id":"\\ud800","result":{"\\udfff":"\\ud800"}}',
            lambda: b'{"jsonrpc":"2.0","id":1,"id":"two","result":{},"result":7}',
            lambda: b"Content-Length: 7\r",
            lambda: whole[1:-1] * 3,
        )
    )()


KINDS: tuple[tuple[int, Callable[[random.Random, list[object]], object]], ...] = (
    (30, broken), (25, response), (25, request), (18, misshapen), (2, nested)
)  # fmt: skip


def frames(dice: random.Random, ids: list[object]) -> Iterator[bytes]:
    """Lines without their ends. `ids` are those of the requests so far, the last one unanswered."""
    kinds = [kind for _, kind in KINDS]
    weights = [weight for weight, _ in KINDS]
    while True:
        (kind,) = dice.choices(kinds, weights)
        made = kind(dice, ids)
        yield made if isinstance(made, bytes) else text(made)


def answers(dice: random.Random, asked: dict, ids: list[object]) -> Iterator[bytes]:
    """All that is said to one request."""
    reply = {"jsonrpc": "2.0", "id": asked["id"]}
    params = asked.get("params", {})
    match asked["method"]:
        case "initialize":
            result: object = {
                "protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "hostile", "version": "1"},
            }
        case "tools/list":
            wrong = len(ids) > 4 and dice.random() < 0.5
            if wrong:  # so that it is asked for another list soon
                yield text({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
            result = dice.choice(LISTS) if wrong else {"tools": [TOOL, FLOOD]}
        case "tools/call" if params["name"] == "flood":
            made = frames(dice, ids)
            for _ in range(params["arguments"]["count"]):
                yield next(made)
            result = dice.choice((*RESULTS, *(GOOD["result"],) * 20))
        case "tools/call":
            result = {"content": [{"type": "text", "text": "pong"}]}
        case _:
            yield text({**reply, "error": {"code": -32601, "message": "no such method"}})
            return
    yield text({**reply, "result": result})


def main(seed: str) -> None:
    dice, ids = random.Random(seed), []
    lines: list[str] = []
    arrived = threading.Semaphore(0)

    def read() -> None:
        for line in sys.stdin:
            lines.append(line)
            arrived.release()
        lines.append("")
        arrived.release()

    threading.Thread(target=read, daemon=True).start()
    while arrived.acquire() and (line := lines.pop(0)):
        asked = json.loads(line)
        if "id" in asked and "method" in asked:
            ids.append(asked["id"])
            for frame in answers(dice, asked, ids):
                sys.stdout.buffer.write(frame + b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
