"""Make a component that asks for too much memory say so.

`memory.grow` answers -1 beyond the limit, a guest then traps somewhere of its own choice, and
nothing tells that from any other trap. So before it is compiled, every `memory.grow` becomes a call
of a function added to its module: grow, and on -1 trap in a way that no compiler produces (an
atomic wait on a memory that nobody shares), which `faults.py` knows. A component that was willing
to go on with less memory is stopped as well: the limit is a limit.
"""

from __future__ import annotations

from collections.abc import Iterator

from induscode.addons.wasm.instructions import Unreadable, grow_sites, integer, skip_integer

__all__ = ["Unreadable", "guard_growth"]

_MAGIC = b"\0asm"
_MODULE = b"\x01\0\0\0"
_COMPONENT = b"\x0d\0\x01\0"
_HEADER = 8
_CORE_MODULE, _NESTED = 1, 4  # sections of a component
_TYPES, _IMPORTS, _FUNCTIONS, _CODE = 1, 2, 3, 10  # sections of a module
_FUNCTION_TYPE = 0x60
_GROW = b"\x40\0"
_CALL = b"\x10"
_LOW = 0x7F

_GUARD_TYPE = b"\x60\x01\x7f\x01\x7f"  # (i32) -> i32
_GUARD_BODY = (
    b"\0"  # no locals
    b"\x20\0\x40\0\x22\0"  # local.get 0, memory.grow, local.tee 0
    b"\x41\x7f\x46\x04\x40"  # i32.const -1, i32.eq, if
    b"\x41\0\x41\0\x42\0\xfe\x01\x02\0\x1a"  # memory.atomic.wait32 of 0 at 0 for 0, drop
    b"\x0b\x20\0\x0b"  # end, local.get 0, end
)

_Sections = list[tuple[int, bytes]]


def guard_growth(component: bytes) -> bytes:
    """The component with its growth guarded. Raises `Unreadable` for what is no component."""
    if component[:_HEADER] != _MAGIC + _COMPONENT:
        raise Unreadable("it is no WebAssembly component")
    out = bytearray(component[:_HEADER])
    for kind, body in _sections(component, _HEADER):
        if kind == _CORE_MODULE:
            out += _section(kind, _guarded_module(body))
        elif kind == _NESTED:
            out += _section(kind, guard_growth(body))
        else:
            out += _section(kind, body)
    return bytes(out)


def _sections(data: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    while at < len(data):
        kind = data[at]
        size, at = integer(data, at + 1)
        if at + size > len(data):
            raise Unreadable("it is cut off")
        yield kind, data[at : at + size]
        at += size


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _leb(len(body)) + body


def _leb(value: int) -> bytes:
    out = bytearray()
    while value > _LOW:
        out.append(value & _LOW | _LOW + 1)
        value >>= 7
    out.append(value)
    return bytes(out)


def _guarded_module(module: bytes) -> bytes:
    if module[:_HEADER] != _MAGIC + _MODULE:
        raise Unreadable("a part of it is no WebAssembly module")
    sections: _Sections = list(_sections(module, _HEADER))
    found = dict(sections)
    if _GROW not in found.get(_CODE, b""):
        return module
    types, functions = found.get(_TYPES, b"\0"), found.get(_FUNCTIONS, b"\0")
    guard = _imported_functions(found.get(_IMPORTS, b"\0")) + integer(functions, 0)[0]
    fresh = {
        _TYPES: _appended(types, _GUARD_TYPE),
        _FUNCTIONS: _appended(functions, _leb(_plain_types(types))),
        _CODE: _guarded_code(found[_CODE], _CALL + _leb(guard)),
    }
    return module[:_HEADER] + b"".join(
        _section(kind, fresh.get(kind, body)) for kind, body in sections
    )


def _appended(vector: bytes, item: bytes) -> bytes:
    count, at = integer(vector, 0)
    return _leb(count + 1) + vector[at:] + item


def _plain_types(types: bytes) -> int:
    """How many types there are; each must be a function's, so that they can be counted."""
    count, at = integer(types, 0)
    for _ in range(count):
        if at >= len(types) or types[at] != _FUNCTION_TYPE:
            raise Unreadable("it uses types that are not known here")
        at += 1
        for _ in ("parameters", "results"):
            length, at = integer(types, at)
            at += length
    if at != len(types):
        raise Unreadable("its types are cut off")
    return count


def _imported_functions(imports: bytes) -> int:
    count, at = integer(imports, 0)
    functions = 0
    for _ in range(count):
        for _ in ("module", "name"):
            length, at = integer(imports, at)
            at += length
        kind, at = integer(imports, at)
        match kind:
            case 0:
                functions += 1
                at = skip_integer(imports, at)
            case 1:
                at = _limits(imports, at + 1)
            case 2:
                at = _limits(imports, at)
            case 3:
                at += 2
            case 4:
                at = skip_integer(imports, at + 1)
            case _:
                raise Unreadable("it imports a kind of thing that is not known here")
    return functions


def _limits(data: bytes, at: int) -> int:
    flags, at = integer(data, at)
    at = skip_integer(data, at)
    return skip_integer(data, at) if flags & 1 else at


def _guarded_code(code: bytes, call: bytes) -> bytes:
    count, at = integer(code, 0)
    out = bytearray(_leb(count + 1))
    for _ in range(count):
        size, at = integer(code, at)
        body = code[at : at + size]
        at += size
        if _GROW in body:
            body = _with_calls(body, call)
        out += _leb(len(body)) + body
    return bytes(out + _leb(len(_GUARD_BODY)) + _GUARD_BODY)


def _with_calls(body: bytes, call: bytes) -> bytes:
    out, done = bytearray(), 0
    for site in grow_sites(body):
        out += body[done:site] + call
        done = site + len(_GROW)
    return bytes(out + body[done:])
