"""The rewriting that makes growth beyond the limit a trap of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wasmtime import Engine, Store, WasmtimeError, wat2wasm
from wasmtime.component import Component, Linker

from induscode.addons.wasm.engine import new_engine
from induscode.addons.wasm.growth import Unreadable, guard_growth
from tests.addons.wasm.parts import GUARD, MB

SHAPE = """
(core module $m
  {imports}
  (memory 1)
  (table 3 funcref)
  (global $g (mut i32) (i32.const 64))
  (func $tell (param i32 f64) (result i32) local.get 0)
  (func (export "grow") (param $n i32) (result i32)
    (local $v v128) (local $l i64)
    {body}
    (memory.grow (local.get $n))))
"""
EVERYTHING = """
    (block $out (block $in
        (br_table $in $out $out (i32.const 0))))
    (drop (select (result i32) (i32.const 64) (i32.const 0x4000) (i32.const 1)))
    (local.set $l (i64.const 0x40004000))
    (drop (f32.const 2.001953)) (drop (f64.const 32.0009765625))
    (i32.store offset=0x2000 (i32.const 64) (i32.const 64))
    (drop (i64.load8_u offset=64 (i32.const 0)))
    (memory.fill (i32.const 0) (i32.const 0) (i32.const 64))
    (memory.copy (i32.const 0) (i32.const 64) (i32.const 64))
    (local.set $v (v128.const i32x4 0x40 0x4000 0x40 0))
    (local.set $v (i8x16.shuffle 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
        (local.get $v) (local.get $v)))
    (local.set $v (v128.load offset=64 (i32.const 0)))
    (local.set $v (v128.load8_lane offset=64 0 (i32.const 0) (local.get $v)))
    (drop (i32x4.extract_lane 0 (local.get $v)))
    (drop (i32.atomic.rmw.add offset=64 (i32.const 0) (i32.const 64)))
    (atomic.fence)
    (drop (table.grow (ref.null func) (i32.const 0)))
    (drop (ref.is_null (table.get (i32.const 0))))
    (drop (call $tell (i32.const 64) (f64.const 0)))
    (drop (i32.trunc_sat_f64_s (f64.const 64)))
    (if (i32.eqz (memory.size)) (then unreachable))
"""


def text(body: str = "") -> str:
    module = SHAPE.format(imports="", body=body)
    return f"""(component {module}
        (core instance $i (instantiate $m))
        (func (export "grow") (param "n" u32) (result u32) (canon lift (core func $i "grow"))))"""


def grown(engine: Engine, component: bytes, *pages: int) -> list[int]:
    store, linker = Store(engine), Linker(engine)
    store.set_fuel(10_000_000)
    store.set_epoch_deadline(1)
    store.set_limits(memory_size=MB)
    instance = linker.instantiate(store, Component(engine, component))
    grow = instance.get_func(store, "grow")
    assert grow is not None
    return [grow(store, each) for each in pages]


@pytest.mark.parametrize("body", ["", EVERYTHING])
def test_growth_within_the_limit_is_what_it_was_and_beyond_it_a_trap_of_its_own(body: str) -> None:
    engine, plain = new_engine(), wat2wasm(text(body))
    guarded = guard_growth(plain)
    assert grown(engine, guarded, 3, 0, 12) == grown(engine, plain, 3, 0, 12) == [1, 4, 4]
    assert grown(engine, plain, 16) == [2**32 - 1]
    with pytest.raises(WasmtimeError, match="atomic wait on non-shared memory"):
        grown(engine, guarded, 16)


def test_a_module_that_imports_is_counted_right() -> None:
    other = '(core module $o (func (export "f")) (memory (export "m") 1))'
    imports = '(import "o" "f" (func)) (import "o" "g" (func (param i32)))'
    module = SHAPE.format(imports=imports, body="")
    plain = wat2wasm(f"""(component {other}
        (core module $p (func (export "f")) (func (export "g") (param i32)))
        {module}
        (core instance $p (instantiate $p))
        (core instance $i (instantiate $m (with "o" (instance $p))))
        (func (export "grow") (param "n" u32) (result u32) (canon lift (core func $i "grow"))))""")
    assert grown(new_engine(), guard_growth(plain), 2, 1) == [1, 3]


def test_components_inside_a_component_are_guarded_too() -> None:
    inner = text().replace("(component", "(component $c", 1)
    plain = wat2wasm(f"""(component {inner}
        (instance $x (instantiate $c)) (export "grow" (func $x "grow")))""")
    with pytest.raises(WasmtimeError, match="atomic wait"):
        grown(new_engine(), guard_growth(plain), 16)


def test_a_module_that_never_grows_is_left_as_it_is() -> None:
    plain = wat2wasm('(component (core module (memory 1) (func (export "f"))))')
    assert guard_growth(plain) == plain


@given(st.binary(max_size=200))
def test_bytes_that_are_no_component_are_unreadable_and_nothing_worse(data: bytes) -> None:
    with pytest.raises(Unreadable):
        guard_growth(data)


@given(st.integers(8, 6000), st.integers(0, 255))
def test_a_damaged_component_is_rewritten_or_unreadable_and_nothing_worse(
    at: int, byte: int
) -> None:
    data = bytearray(GUARD.read_bytes())
    data[at] = byte
    try:
        guard_growth(bytes(data))
    except Unreadable:
        return
