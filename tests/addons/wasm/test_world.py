"""What is a component for this host, and what is refused with a sentence."""

from __future__ import annotations

import hashlib
import json
import os
import re
from importlib.resources import files
from pathlib import Path

import pytest
from wasmtime import wat2wasm
from wasmtime.component import Component

from induscode.addons.offers import Offers
from induscode.addons.wasm import WasmAddon, WasmFault, WasmFaultKind, compiling
from induscode.addons.wasm.compiling import compiled
from induscode.addons.wasm.engine import new_engine
from induscode.addons.wasm.limits import COMPONENT_BYTES
from induscode.addons.wasm.registration import parsed
from induscode.addons.wasm.world import EXPORTS, IMPORTS
from tests.addons.wasm.parts import GUARD, HOSTILE, ROOT, Misdeed, Opener, component
from tests.requirements import requirement

WASI = '(import "wasi:cli/environment@0.2.0" (instance (export "initial-cwd" (func))))'
UNKNOWN = '(import "indus:addon/files@1.0.0" (instance (export "read" (func))))'
MISSHAPEN = """(import "indus:addon/process@1.0.0"
    (instance (export "exec" (func (param "command" u32)))))"""
MISNAMED = """(import "indus:addon/process@1.0.0"
    (instance (export "spawn" (func (param "command" string)))))"""
WRONG_EXPORT = """
    (core module $m (func (export "register") (result i32) i32.const 1))
    (core instance $i (instantiate $m))
    (func (export "register") (result u32) (canon lift (core func $i "register")))"""


@requirement("addons.tier2.world")
async def test_the_shipped_wit_is_the_world_that_a_component_lives_in(opener: Opener) -> None:
    wit = files("induscode.addons").joinpath("wit/addon.wit").read_text(encoding="utf-8")
    assert "package indus:addon@1.0.0;" in wit
    engine = new_engine()
    about = Component.deserialize(engine, await compiled(HOSTILE.read_bytes())).type
    types = "indus:addon/types@1.0.0"
    assert about.imports(engine).keys() - {types} == IMPORTS.keys()
    assert about.exports(engine).keys() == EXPORTS.keys()
    assert set(re.findall(r"export ([a-z-]+): func", wit)) == EXPORTS.keys()
    assert (await opener(GUARD)).registration.id == "guard"


def test_the_committed_guests_were_built_from_the_sources_beside_them() -> None:
    built = json.loads(HOSTILE.with_name("built.json").read_text())
    assert set(built) >= {"guard", "hostile"}
    for parts in built.values():
        for name, digest in parts.items():
            found = hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
            assert found == digest, f"{name} changed: run `make guests`"


@requirement("addons.tier2.no-ambient-wasi")
async def test_a_component_that_imports_wasi_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WasmFault, match="no ambient WASI") as fault:
        await WasmAddon.open(component(tmp_path / "wasi.wasm", WASI))
    assert fault.value.kind is WasmFaultKind.REFUSED
    assert "wasi:cli/environment@0.2.0" in str(fault.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (UNKNOWN, "imports 'indus:addon/files@1.0.0', which indus:addon@1.0.0 does not have"),
        ('(import "run" (func))', "imports 'run'"),
        (MISSHAPEN, r"exec is \(u32\), and not \(string\) -> result\{string, string\}"),
        (MISNAMED, r"spawn is \(string\), and not in this world"),
        ("", "does not export 'register'"),
        (WRONG_EXPORT, r"register is \(\) -> u32, and not \(\) -> string"),
    ],
)
async def test_a_component_of_another_world_is_refused_and_told_where_it_differs(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(WasmFault, match=words) as fault:
        await WasmAddon.open(component(tmp_path / "other.wasm", text))
    assert fault.value.kind is WasmFaultKind.REFUSED


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no WebAssembly component"),
        (b"#!/bin/sh\n", "no WebAssembly component"),
        (wat2wasm("(module)"), "no WebAssembly component"),
        (GUARD.read_bytes()[:1000], "cannot be compiled"),
        (GUARD.read_bytes() + b"\0" * 40, "cannot be compiled"),
    ],
)
async def test_a_file_that_is_no_component_is_refused(
    tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "addon.wasm"
    file.write_bytes(content)
    with pytest.raises(WasmFault, match=words) as fault:
        await WasmAddon.open(file)
    assert fault.value.kind is WasmFaultKind.REFUSED


async def test_a_pipe_and_a_huge_file_are_not_read(tmp_path: Path) -> None:
    pipe, huge = tmp_path / "pipe.wasm", tmp_path / "huge.wasm"
    os.mkfifo(pipe)
    with pytest.raises(WasmFault, match="no regular file"):
        await WasmAddon.open(pipe)
    with huge.open("wb") as file:
        file.truncate(COMPONENT_BYTES + 1)
    with pytest.raises(WasmFault, match="more than 67,108,864 bytes"):
        await WasmAddon.open(huge)
    with pytest.raises(FileNotFoundError):
        await WasmAddon.open(tmp_path / "missing.wasm")


async def test_compiling_has_a_deadline() -> None:
    with pytest.raises(WasmFault, match=r"took more than 0\.001 s"):
        await compiled(GUARD.read_bytes(), seconds=0.001)


async def test_a_compiler_that_breaks_down_takes_nobody_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "compiler.py"
    broken.write_text("import os, sys; sys.stdin.buffer.read(); os.abort()")
    monkeypatch.setattr(compiling, "_COMPILER", broken)
    with pytest.raises(WasmFault, match="broke down"):
        await compiled(GUARD.read_bytes())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not valid JSON"),
        ("[]", "expected a JSON object"),
        ('{"id": "a", "id": "b"}', "appears twice"),
        ('{"surprise": 1}', "surprise"),
        ('{"id": ""}', "id"),
        ('{"events": [{"event": "tool:befor", "kind": "gate"}]}', r"\$.events\[0\].event"),
        ('{"events": [{"event": "tool:before", "kind": "veto"}]}', r"\$.events\[0\].kind"),
        ('{"commands": [{"name": "two words"}]}', r"\$.commands\[0\].name"),
        ('{"commands": [{"name": "a"}, {"name": "a"}]}', "a is there twice"),
        ('{"tools": [{"name": "t", "description": "d", "parameters": {}}]}', "type object"),
        ('{"capabilities": [{"name": "root", "reason": "r"}]}', "'root' is no capability"),
        ('{"capabilities": [{"name": "emit-alert"}]}', "reason"),
        ('{"id": "../x"}', "no id of an addon"),
        ('{"tasks": [{"name": "watch"}]}', "a component has none"),
        ('{"commands": [{"name": "a", "exec": "ls"}]}', "only a manifest's has"),
        ('{"tools": [{"name": "t/", "description": "d", "parameters": {}}]}', "name"),
    ],
)
def test_a_registration_that_does_not_fit_is_a_fault_that_names_the_field(
    text: str, words: str
) -> None:
    with pytest.raises(WasmFault, match=words) as fault:
        parsed(text)
    assert fault.value.kind is WasmFaultKind.BAD_ANSWER


def test_an_empty_registration_is_one() -> None:
    assert parsed("{}") == Offers()


async def test_a_component_that_registers_something_else_when_started_anew_is_a_fault(
    opener: Opener,
) -> None:
    addon = await opener()
    addon._registered = "{}"
    await addon.handle(Misdeed.STOP, "turn:start", "{}")
    await addon.rest()
    with pytest.raises(WasmFault, match="registers something else"):
        await addon.handle(Misdeed.STOP, "turn:start", "{}")
