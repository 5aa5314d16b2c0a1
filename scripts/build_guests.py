"""Build the WebAssembly guests: `make guests`, with ALL=1 also those in JavaScript and Python.

The guests in C (examples, and what tests run) are committed beside their sources, with the digests
of what they were built from in tests/addons/wasm/guests/built.json, which a test compares. The
others are larger (1 and 18 MB) and stay in build/guests. The tools are installed there too, from
PyPI and npm; Node 20 or newer must be there.
"""

import hashlib
import json
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "guests"
WIT = ROOT / "src" / "induscode" / "addons" / "wit" / "addon.wit"
EXAMPLES = ROOT / "examples" / "addons"
SUBJECT = ROOT / "tests" / "addons" / "conformance" / "subject"
HOSTILE = ROOT / "tests" / "addons" / "wasm" / "guests" / "hostile.c"
BUILT = HOSTILE.with_name("built.json")
HEADERS = (EXAMPLES / "wasm" / "indus_addon.h", EXAMPLES / "wasm" / "text.h")

PYPI = ["ziglang==0.17.0", "componentize-py==0.25.1"]
NPM = ["@bytecodealliance/jco-transpile@0.15.0", "componentize-qjs@0.4.5"]

COMPONENT_JS = """
import { readFileSync, writeFileSync } from "node:fs";
import { componentEmbed, componentNew } from "@bytecodealliance/jco-transpile/wasm-tools";
const [core, wit, out] = process.argv.slice(2);
const witSource = readFileSync(wit, "utf8");
const embedded = await componentEmbed({ binary: readFileSync(core), witSource, world: "addon" });
writeFileSync(out, await componentNew(embedded, []));
"""
QUICKJS_JS = """
import { readFileSync, writeFileSync } from "node:fs";
import { componentize } from "componentize-qjs";
const [source, witPath, out] = process.argv.slice(2);
const options = { world: "addon", stubWasi: true, sync: true, optSize: true };
const jsSource = readFileSync(source, "utf8");
writeFileSync(out, (await componentize({ witPath, jsSource, ...options })).component);
"""


def run(*command: str | Path, cwd: Path = BUILD) -> None:
    subprocess.run([str(word) for word in command], check=True, cwd=cwd)


def tools() -> Path:
    """Install what is missing; the folder with Python's tools."""
    scripts = BUILD / "venv" / "bin"
    stamp = BUILD / "tools.json"
    wanted = json.dumps([PYPI, NPM])
    if not stamp.is_file() or stamp.read_text() != wanted:
        venv.create(BUILD / "venv", with_pip=True)
        run(scripts / "python", "-m", "pip", "install", "--quiet", *PYPI)
        (BUILD / "package.json").write_text('{"private": true, "type": "module"}')
        run("npm", "install", "--silent", "--no-audit", "--no-fund", *NPM)
        stamp.write_text(wanted)
    (BUILD / "component.mjs").write_text(COMPONENT_JS)
    (BUILD / "quickjs.mjs").write_text(QUICKJS_JS)
    return scripts


def build_c(scripts: Path, source: Path) -> Path:
    core, out = BUILD / f"{source.stem}.core.wasm", source.with_suffix(".wasm")
    flags = ("-std=c11", "-Os", "-g0", "-nostdlib", "-fno-sanitize=all", "-Wall", "-Wextra")
    link = ("-Wl,--no-entry", "-Wl,--strip-all", "-Wl,-z,stack-size=65536")
    target = ("-target", "wasm32-freestanding")
    run(scripts / "python", "-m", "ziglang", "cc", *target, *flags, *link, "-o", core, source)
    run("node", "component.mjs", core, WIT, out)
    return out


def build_javascript(name: str, source: Path) -> Path:
    out = BUILD / f"{name}-js.wasm"
    run("node", "quickjs.mjs", source, WIT, out)
    return out


def build_python(scripts: Path, name: str, source: Path) -> Path:
    out = BUILD / f"{name}-python.wasm"
    what = ("-q", "-d", WIT, "-w", "addon", "componentize", "--stub-wasi", source.stem)
    run(scripts / "componentize-py", *what, "-p", source.parent, "-o", out)
    return out


def included(source: Path) -> list[Path]:
    text = source.read_text()
    return [header for header in HEADERS if f'{header.name}"' in text]


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def told(source: Path, build: Callable[[Path], Path]) -> Path:
    began = time.monotonic()
    out = build(source)
    spent = time.monotonic() - began
    print(f"{out.relative_to(ROOT)}: {out.stat().st_size:,} bytes, {spent:.1f} s", flush=True)
    return out


def main() -> int:
    BUILD.mkdir(parents=True, exist_ok=True)
    scripts = tools()
    built: dict[str, dict[str, str]] = {}
    for source in (*sorted(EXAMPLES.glob("*/*.c")), SUBJECT / "subject.c", HOSTILE):
        out = told(source, partial(build_c, scripts))
        parts = (source, *included(source), WIT, out)
        built[source.stem] = {str(path.relative_to(ROOT)): digest(path) for path in parts}
    BUILT.write_text(json.dumps(built, indent=2) + "\n")
    if sys.argv[1:] == ["all"]:
        told(EXAMPLES / "budgeter/budgeter.js", partial(build_javascript, "budgeter"))
        for name, source in {
            "guard": EXAMPLES / "wasm/guard",
            "subject": SUBJECT / "component",
        }.items():
            told(source.with_suffix(".js"), partial(build_javascript, name))
            told(source.with_suffix(".py"), partial(build_python, scripts, name))
    return 0


if __name__ == "__main__":
    sys.exit(main())
