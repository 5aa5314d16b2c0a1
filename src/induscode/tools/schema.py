"""JSON schemas, compiled once; a mismatch told as one sentence that names the argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn, cast

import jsonschema_rs

from induscode.tools.compare import close_names

__all__ = ["checker"]


def checker(name: str, parameters: Mapping[str, Any]) -> Callable[[Mapping[str, Any]], str | None]:
    """A function that finds what is wrong with arguments for the tool `name`, or None.

    A schema never reaches out: a `$ref` to a file or an address is refused, with ValueError here.
    """
    validator = jsonschema_rs.validator_for(dict(parameters), retriever=_refuse)
    known = list(cast("Mapping[str, Any]", parameters.get("properties", {})))

    def problem(arguments: Mapping[str, Any]) -> str | None:
        for error in validator.iter_errors(dict(arguments)):
            return _sentence(name, known, error)
        return None

    return problem


def _refuse(uri: str) -> NoReturn:
    raise ValueError(f"a tool's schema may not refer to {uri}")


def _sentence(name: str, known: list[str], error: jsonschema_rs.ValidationError) -> str:
    where = _where(error.instance_path)
    detail = error.kind.as_dict()
    match error.kind.name:
        case "required":
            missing = f"{where}.{detail['property']}" if where else detail["property"]
            return f"{name} needs the argument `{missing}`."
        case "additionalProperties" if not where:
            return _unknown(name, known, [str(item) for item in detail["unexpected"]])
        case "type":
            wanted = _types(detail["types"])
            return f"The argument `{where}` of {name} must be {wanted}: {error.message}."
        case _:
            return f"The argument `{where or name}` of {name} is not usable: {error.message}."


def _unknown(name: str, known: list[str], unexpected: list[str]) -> str:
    near = close_names(unexpected[0], known, most=1)
    guess = f" Did you mean `{near[0]}`?" if near else ""
    return f"{name} has no argument `{unexpected[0]}`.{guess} It takes: {', '.join(known)}."


def _where(path: list[str | int]) -> str:
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _types(types: list[str]) -> str:
    return " or ".join(("an " if kind[0] in "aio" else "a ") + kind for kind in types)
