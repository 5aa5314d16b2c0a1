"""The two prompts of a request: which tool, if any; and the answer.

A model of this size cannot read a deck or a briefing, and drowns in its own examples. So the first
prompt shows examples of choosing a tool and a grammar that allows nothing else, its arguments taken
from the words of the question; the second shows the question and what the tool found, and after a
result its grammar is two sentences, so that it comes to an end.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from induscode.gateway.local.transcript import Result, Transcript
from induscode.kernel.jsontext import encode

__all__ = ["DECK", "answer_prompt", "choice_prompt"]

DECK = {"read": "path", "ls": "path", "grep": "pattern"}
"""The tools this model is offered, where the session has them, and their one argument."""

_CHOOSE = (
    "You choose the tool for a request about the files of a project: {tools}. If no file is"
    " needed, the tool is none."
)
_ABOUT = {
    "read": "read looks at a file",
    "ls": "ls lists a folder",
    "grep": "grep searches for a word in all files",
}
_SHOTS = (
    ("Read main.py and tell me what it does.", "read", "main.py"),
    ("What is 2 plus 3?", "none", ""),
    ("Which files are in docs?", "ls", "docs"),
    ("Find the word timeout.", "grep", "timeout"),
    ("Thank you!", "none", ""),
    ("What is in docs/setup.md?", "read", "docs/setup.md"),
    ("What is this project about?", "read", "README.md"),
    ("Why is the sky blue?", "none", ""),
)
_ANSWER = "You answer questions about the files of a project, in one or two short sentences."
_TALK = "You are a helpful assistant for programmers. You answer in a few short sentences."
_SENTENCE = r"([^.!?\n]|[.!?][^ \n])+[.!?]"
_TWO_SENTENCES = (
    f"%llguidance {{}}\nstart: TEXT <|im_end|>\nTEXT: /[A-Za-z0-9]{_SENTENCE}( {_SENTENCE})?/\n"
)
_NO_ECHO = {"dry_allowed_length": 5, "dry_multiplier": 0.8, "dry_penalty_last_n": 128}
_FILE = re.compile(r".*[^./]\.[A-Za-z][A-Za-z0-9]{0,7}|(.*/)?(Makefile|Dockerfile|LICENSE|README)")
_AROUND = "\"'`,;:!?()[]{}<>"
_MAX_WORDS = 24
_MAX_WORD = 80
_SEARCHED = 3
_CHOICE_TOKENS = 48


def choice_prompt(question: str, tools: Collection[str]) -> dict[str, object] | None:
    """None when there is nothing to choose from."""
    deck = [name for name in DECK if name in tools]
    if not deck:
        return None
    shots = [shot for shot in _SHOTS if shot[1] in (*deck, "none")]
    turns = [_turn("system", _CHOOSE.format(tools=", ".join(_ABOUT[name] for name in deck)))]
    for asked, tool, argument in shots:
        call = {"tool": tool, DECK[tool]: argument} if argument else {"tool": tool}
        turns += [_turn("user", asked), _turn("assistant", _in_order(call))]
    turns.append(_turn("user", question))
    schema = _in_order({"oneOf": _choices(question, deck), "x-guidance": _ONE_LINE})
    grammar = f"%llguidance {{}}\nstart: %json {schema}\n"
    return _asked(turns, max_tokens=_CHOICE_TOKENS, grammar=grammar)


def answer_prompt(transcript: Transcript, wishes: str, max_tokens: int) -> dict[str, object]:
    """`wishes` is what the user put into the system prompt."""
    result, question = transcript.result, transcript.question.text
    first = _ANSWER if result else _TALK
    turns = [_turn("system", f"{first}\n{wishes}" if wishes else first)]
    if result is not None:
        found = f"This is {_label(result)}:\n\n{result.said.text}\n\n{question}"
        turns.append(_turn("user", found))
        return _asked(turns, max_tokens=max_tokens, grammar=_TWO_SENTENCES)
    for past in transcript.past:
        turns += [_turn("user", past.question), _turn("assistant", past.answer)]
    turns.append(_turn("user", question))
    return _asked(turns, max_tokens=max_tokens, **_NO_ECHO)


_ONE_LINE = {"item_separator": ",", "key_separator": ":", "whitespace_flexible": False}


def _choices(question: str, deck: list[str]) -> list[dict[str, object]]:
    """A question that names files is answered from them; any other may go without a tool."""
    words = _words_of(question)
    files = [word for word in words if _FILE.fullmatch(word)]
    if files and "read" in deck:
        return [_choice("read", files)]
    patterns = [word for word in words if len(word) >= _SEARCHED]
    offered = {"read": ["README.md"], "ls": [".", *words], "grep": patterns}
    return [_choice(name, offered[name]) for name in deck if offered[name]] + [_choice("none", [])]


def _choice(tool: str, values: list[str]) -> dict[str, object]:
    fields: dict[str, object] = {"tool": {"const": tool}}
    if values:
        fields[DECK[tool]] = {"enum": list(dict.fromkeys(values))}
    return {
        "additionalProperties": False,
        "properties": fields,
        "required": list(fields),
        "type": "object",
    }


def _words_of(text: str) -> list[str]:
    stripped = [word.strip(_AROUND).rstrip(".") for word in text.split()]
    fit = [word for word in stripped if 0 < len(word) <= _MAX_WORD]
    return list(dict.fromkeys(fit))[:_MAX_WORDS]


def _label(result: Result) -> str:
    named = {"read": result.argument, "ls": f"the list of files in {result.argument or '.'}"}
    label = named.get(result.tool) or f"the result of {result.tool} {result.argument}".strip()
    return f"the error of {result.tool} {result.argument}".strip() if result.is_error else label


def _turn(role: str, content: str) -> dict[str, str]:
    return {"content": content, "role": role}


def _in_order(value: object) -> str:
    """JSON whose order is ours: the model writes the tool before its argument."""
    return encode(value).decode()


def _asked(turns: list[dict[str, str]], **more: object) -> dict[str, object]:
    """What the engine is given. Always the likeliest token, and nothing kept from the prompt before
    (it changes the last digits, and with them now and then a word): a run can be repeated."""
    return {
        "cache_prompt": False,
        "messages": turns,
        "return_progress": True,
        "seed": 1,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": 0,
        **more,
    }
