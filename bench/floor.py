"""The floor: the same exchange with the model, in as few lines as it takes, on httpx2.

usage: python floor.py BASE_URL PROMPT   (executed by the benchmark, not imported)
"""

import json
import sys
from pathlib import Path

import httpx2

TOOLS = [
    {
        "name": "read",
        "description": "Read a file.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        },
    }
]


def main() -> None:
    base_url, prompt = sys.argv[1:]
    messages = [{"role": "user", "content": prompt}]
    headers = {"x-api-key": "bench", "anthropic-version": "2023-06-01"}
    with httpx2.Client(base_url=base_url, headers=headers, timeout=60) as client:
        while True:
            blocks = exchange(client, messages)
            messages.append({"role": "assistant", "content": blocks})
            results = [answer(block) for block in blocks if block["type"] == "tool_use"]
            if not results:
                break
            messages.append({"role": "user", "content": results})
    print("".join(block["text"] for block in blocks if block["type"] == "text"))


def exchange(client: httpx2.Client, messages: list) -> list:
    body = {
        "model": "claude-sonnet-4-5",
        "max_tokens": 64000,
        "stream": True,
        "system": "You are an assistant.",
        "tools": TOOLS,
        "messages": messages,
    }
    blocks: list = []
    with client.stream("POST", "/v1/messages", json=body) as response:
        response.raise_for_status()
        for line in response.iter_lines():
            if line.startswith("data: "):
                apply(json.loads(line[6:]), blocks)
    for block in blocks:
        if block["type"] == "tool_use":
            block["input"] = json.loads(block.pop("json") or "{}")
    return blocks


def apply(event: dict, blocks: list) -> None:
    if event["type"] == "content_block_start":
        block = event["content_block"]
        if block["type"] == "tool_use":
            block["json"] = ""
        blocks.append(block)
    elif event["type"] == "content_block_delta":
        delta = event["delta"]
        if delta["type"] == "text_delta":
            blocks[-1]["text"] += delta["text"]
        elif delta["type"] == "input_json_delta":
            blocks[-1]["json"] += delta["partial_json"]


def answer(block: dict) -> dict:
    text = Path(block["input"]["path"]).read_text()
    return {"type": "tool_result", "tool_use_id": block["id"], "content": text}


main()
