"""The world `indus:addon@1.0.0` as the engine sees it, and whether a component belongs to it.

The engine links a function of any shape to ours by its name, so the shapes are compared here. The
source of both is `addons/wit/addon.wit`.
"""

from __future__ import annotations

from wasmtime import Engine
from wasmtime.component import (
    Component,
    ComponentInstanceType,
    EnumType,
    FuncType,
    OptionType,
    RecordType,
    ResultType,
    ValType,
    VariantType,
)

from induscode.addons.wasm.faults import WasmFault, WasmFaultKind

__all__ = ["EXPORTS", "IMPORTS", "check"]

_REPLY = "variant{done, refused: string, failed: string}"
_FOUND = "variant{absent, present: string, failed: string}"
_TYPES = "indus:addon/types@1.0.0"

IMPORTS: dict[str, dict[str, str]] = {
    "indus:addon/log@1.0.0": {"write": "(enum{debug, info, warning, error}, string)"},
    "indus:addon/state@1.0.0": {
        "get": f"(string) -> {_FOUND}",
        "set": f"(string, option{{string}}) -> {_REPLY}",
    },
    "indus:addon/notify@1.0.0": {"notify": f"(string) -> {_REPLY}"},
    "indus:addon/session@1.0.0": {
        "send-message": f"(string) -> {_REPLY}",
        "set-model": f"(string) -> {_REPLY}",
        "set-thinking": f"(string) -> {_REPLY}",
    },
    "indus:addon/process@1.0.0": {"exec": "(string) -> result{string, string}"},
}

EXPORTS = {
    "register": "() -> string",
    "handle": "(u32, string, string) -> variant{unchanged, transformed: string, stopped: string}",
    "enter": "(u32, string, string, string)"
    " -> variant{proceed, rewritten: string, blocked: string}",
    "leave": "(u32, string, string, string, string, string) -> variant{kept, rewritten: string}",
    "command": "(string, string, string) -> result{option{string}, string}",
    "call-tool": "(string, string, string) -> record{text: string, is-error: bool}",
}


def check(engine: Engine, component: Component) -> None:
    """Raises `WasmFault` for a component that asks for more than this world has, or lacks or
    misshapes what it must have."""
    about = component.type
    for name, item in about.imports(engine).items():
        shape = item.ty
        if name == _TYPES:
            continue
        if name not in IMPORTS or not isinstance(shape, ComponentInstanceType):
            raise _refused(_no_such_import(name), _hint(name))
        for function, found in shape.exports(engine).items():
            if isinstance(found.ty, FuncType):
                _same(f"{name}#{function}", found.ty, IMPORTS[name].get(function))
    exports = about.exports(engine)
    for name, wanted in EXPORTS.items():
        if name not in exports:
            raise _refused(f"it does not export {name!r}", "implement all of indus:addon@1.0.0")
        _same(name, exports[name].ty, wanted)


def _no_such_import(name: str) -> str:
    if name.startswith("wasi:"):
        return f"it imports {name}: addons have no ambient WASI"
    return f"it imports {name!r}, which indus:addon@1.0.0 does not have"


def _hint(name: str) -> str:
    if name.startswith("wasi:"):
        return "build it without WASI, or with WASI stubbed out"
    return "build it for the world in addons/wit/addon.wit"


def _same(name: str, item: object, wanted: str | None) -> None:
    found = _spelled_function(item) if isinstance(item, FuncType) else "no function"
    if found != wanted:
        raise _refused(
            f"{name} is {found}, and not {wanted or 'in this world'}",
            "build it for the world in addons/wit/addon.wit",
        )


def _spelled_function(shape: FuncType) -> str:
    parameters = ", ".join(_spelled(each) for _, each in shape.params)
    return f"({parameters})" + (f" -> {_spelled(shape.result)}" if shape.result else "")


def _spelled(shape: ValType | None) -> str:
    match shape:
        case None:
            return "_"
        case VariantType():
            return f"variant{{{', '.join(_case(name, each) for name, each in shape.cases)}}}"
        case RecordType():
            return f"record{{{', '.join(_case(name, each) for name, each in shape.fields)}}}"
        case EnumType():
            return f"enum{{{', '.join(shape.names)}}}"
        case OptionType():
            return f"option{{{_spelled(shape.payload)}}}"
        case ResultType():
            return f"result{{{_spelled(shape.ok)}, {_spelled(shape.err)}}}"
        case _:
            return type(shape).__name__.lower()


def _case(name: str, shape: ValType | None) -> str:
    return name if shape is None else f"{name}: {_spelled(shape)}"


def _refused(why: str, hint: str) -> WasmFault:
    return WasmFault(WasmFaultKind.REFUSED, why, hint=hint)
