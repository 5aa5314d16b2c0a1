"""A budget: long old texts leave a context of over LIMIT tokens, and answers are short.

What the host takes is kept: from then on the model sees the short line, and the addon does, too.
"""

from typing import Any

from indus_addon import Addon

LIMIT = 2_000
"""Tokens of the whole context; a token has about four characters."""
LONG = 400
RECENT = 1
ANSWER = 1_024

addon = Addon("budgeter", "1.0.0", "Keeps the context small.")


def tokens(messages: list[dict[str, Any]]) -> int:
    return sum(len(message["text"]) for message in messages) // 4


@addon.on("context:build", transform=True)
def shorten(payload: dict[str, Any]) -> dict[str, Any]:
    messages = payload["messages"]
    for message in messages[:-RECENT]:
        if tokens(messages) <= LIMIT:
            break
        if message["role"] == "user" and len(message["text"]) // 4 > LONG:
            size = len(message["text"])
            message["text"] = f"[{size:,} characters left out to stay within the budget]"
    return payload


@addon.on("chat:params", transform=True)
def brief(payload: dict[str, Any]) -> dict[str, Any]:
    payload["params"]["max_output"] = min(payload["params"]["max_output"], ANSWER)
    return payload


addon.run()
