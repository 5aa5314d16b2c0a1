"""The script file: its types, and reading it with errors that say where and what."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from induscode.errors import ConfigError
from induscode.gateway.calls import tool_call
from induscode.kernel.content import ToolCall
from induscode.kernel.jsontext import JsonProblem, canonical

__all__ = ["Failure", "Script", "ScriptAnswer", "ScriptCall", "ScriptUsage", "Step", "load"]

Failure = Literal["overloaded", "quota", "network", "stream", "context", "key"]
_Count = Annotated[int, Meta(ge=0)]
_PLACE = re.compile(r"^(?P<found>.*?) - at `\$\.?(?P<field>.*)`$", re.DOTALL)
_HINT = "docs/scripted.md describes the fields"


class ScriptCall(Struct, frozen=True, forbid_unknown_fields=True):
    """`arguments_json` is the text as a model would write it, valid or not."""

    name: str
    arguments: dict[str, Any] = {}
    arguments_json: str | None = None

    def made(self, call_id: str) -> ToolCall:
        written = self.arguments_json
        return tool_call(
            call_id, self.name, canonical(self.arguments).decode() if written is None else written
        )


class ScriptUsage(Struct, frozen=True, forbid_unknown_fields=True):
    input: _Count = 0
    output: _Count = 0
    cache_read: _Count = 0
    cache_write: _Count = 0


class ScriptAnswer(Struct, frozen=True, forbid_unknown_fields=True):
    text: str = ""
    thinking: str = ""
    call: tuple[ScriptCall, ...] = ()
    delay_ms: _Count = 0
    chunk: _Count = 0
    fail: Failure | None = None
    retry_after: Annotated[float, Meta(ge=0)] | None = None
    stop: Literal["end", "tools", "length", "refusal", "pause"] | None = None
    usage: ScriptUsage = ScriptUsage()
    when: str | None = None
    on: Annotated[str, Meta(min_length=1)] | None = None
    repeat: Annotated[int, Meta(ge=1, le=1_000_000)] = 1


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    answer: tuple[ScriptAnswer, ...] = ()


class Step(Struct, frozen=True):
    """What answers one request: failures first, one per attempt, then the answer. None is the end
    of a script that ends in failures."""

    failures: tuple[ScriptAnswer, ...]
    answer: ScriptAnswer | None


class Script(Struct, frozen=True):
    """`steps` in order, `reactions` for the requests that contain their words."""

    file: str
    steps: tuple[Step, ...]
    reactions: tuple[ScriptAnswer, ...]

    def reaction(self, last_said: str) -> ScriptAnswer | None:
        found = (answer for answer in self.reactions if answer.on and answer.on in last_said)
        return next(found, None)


def load(file: str) -> Script:
    """Raises `ConfigError` naming the file, the table and the field."""
    answers = _read(file).answer
    for at, answer in enumerate(answers):
        _check(file, at, answer)
    return Script(
        file=file,
        steps=_steps([answer for answer in answers if answer.on is None]),
        reactions=tuple(answer for answer in answers if answer.on is not None),
    )


def _read(file: str) -> _File:
    try:
        return msgspec.convert(tomllib.loads(Path(file).read_text("utf-8")), _File)
    except OSError as error:
        raise ConfigError(
            file, field="file", found=error.strerror or "cannot be read", hint="check the path"
        ) from None
    except msgspec.ValidationError as error:
        match = _PLACE.match(str(error))
        field, found = (match["field"], match["found"]) if match else ("file", str(error))
        raise ConfigError(file, field=field or "file", found=found, hint=_HINT) from None
    except ValueError as error:
        raise ConfigError(
            file, field="file", found=f"not TOML: {error}", hint="correct that line"
        ) from None


def _check(file: str, at: int, answer: ScriptAnswer) -> None:
    for number, call in enumerate(answer.call):
        field = f"answer[{at}].call[{number}].arguments"
        if call.arguments and call.arguments_json is not None:
            hint = "keep one of the two"
            raise ConfigError(file, field=field, found="arguments_json is there as well", hint=hint)
        try:
            call.made("")
        except (JsonProblem, TypeError, ValueError) as error:
            hint = "use arguments_json for what is not JSON"
            raise ConfigError(file, field=field, found=str(error), hint=hint) from None
    if answer.retry_after is not None and answer.fail is None:
        hint = 'add fail = "quota" or remove it'
        raise ConfigError(file, field=f"answer[{at}].retry_after", found="without fail", hint=hint)


def _steps(answers: list[ScriptAnswer]) -> tuple[Step, ...]:
    steps: list[Step] = []
    failures: list[ScriptAnswer] = []
    for answer in answers:
        if answer.fail is not None:
            failures += [answer] * answer.repeat
            continue
        steps.append(Step(tuple(failures), answer))
        steps += [Step((), answer)] * (answer.repeat - 1)
        failures = []
    if failures:
        steps.append(Step(tuple(failures), None))
    return tuple(steps)
