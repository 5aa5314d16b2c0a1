"""Our globs mean what ripgrep's mean, but for bringing back what is ignored."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

import pytest

from induscode.tools.search.globs import Glob
from induscode.tools.search.ripgrep import program

NAMES = (
    "a.py",
    "b.ts",
    ".env",
    ".github/ci.yml",
    "src/a.py",
    "src/main.c",
    "src/deep/a.py",
    "src/deep/er/test_x.py",
    "src/deep/er/[id].tsx",
    "lib/a.py",
    "lib/a-b.py",
    "docs/a{1}.md",
    "docs/a,b.md",
    "tests/src/a.py",
    "with space/x y.txt",
    "c:d/e:f.txt",
)
GLOBS = (
    "*",
    "**",
    "**/*",
    "*.py",
    "a.py",
    "a*.py",
    "*a*.p*",
    "?.py",
    "[ab].*",
    "[!a].*",
    "[^a].*",
    "[a-c].*",
    "[]a].py",
    "*.{py,ts}",
    "{a,b}.{py,ts}",
    "{src,lib}/*.py",
    "{src/deep,lib}/**",
    "{a,{b,c}}.*",
    "src/*",
    "src/**",
    "/src/**",
    "src/**/*.py",
    "src/**/a.py",
    "src/**/er/*",
    "**/src/*.py",
    "**/deep/**",
    "**/deep/**/*.py",
    "*/a.py",
    "*/*/a.py",
    "/a.py",
    "/*.py",
    ".*",
    "**/.github/**",
    "a\\*.py",
    "*[[]id[]]*",
    "\\[id\\].tsx",
    "*{1}*",
    "*\\{1\\}*",
    "*,b.md",
    "* y.txt",
    "*:*",
    "c:d/*",
    "x",
    "src/deep",
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("globs")
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


def listed(tree: Path, *arguments: str) -> set[str]:
    words = [program(), "--no-config", "--files", "--hidden", *arguments]
    done = subprocess.run(words, cwd=tree, capture_output=True, text=True, check=False)
    assert not done.stderr
    return set(done.stdout.splitlines())


@pytest.mark.parametrize("glob", GLOBS)
def test_a_glob_means_what_it_means_to_ripgrep(tree: Path, glob: str) -> None:
    ours = Glob(glob)

    assert set(ours.admitted(list(NAMES), "")) == listed(tree, f"--glob={glob}")


@pytest.mark.parametrize("glob", GLOBS)
def test_what_ripgrep_is_told_leaves_out_nothing_that_matches(tree: Path, glob: str) -> None:
    ours = Glob(glob)

    passed, wanted = listed(tree, *ours.hints), set(ours.admitted(list(NAMES), ""))
    assert passed >= wanted
    if ours.sufficient:
        assert passed == wanted


@pytest.mark.parametrize("glob", ["*.py", "src/**", "/a.py", "{a,b}.*"])
def test_a_glob_that_begins_with_an_exclamation_mark_leaves_out(tree: Path, glob: str) -> None:
    ours = Glob(f"!{glob}")

    assert set(ours.admitted(list(NAMES), "")) == listed(tree, f"--glob=!{glob}")
    assert listed(tree, *ours.hints) == listed(tree, f"--glob=!{glob}")


def test_what_matches_everything_is_known_to() -> None:
    assert all(Glob(glob).everything for glob in ("*", "**", "**/*", "./**", "**/**/*"))
    assert not any(Glob(glob).everything for glob in ("*.*", "src/**", "!*", "*/*", "?"))


@pytest.mark.parametrize(
    ("glob", "name"),
    [
        ("*a" * 40 + "b", "a" * 250),
        ("**/*a/" * 20 + "b", "aaaa/" * 400 + "c"),
        ("**/" * 30 + "**/x", "a/" * 1_000 + "y"),
        ("/".join(["*a*a*a*b"] * 20), "/".join(["a" * 200] * 20)),
        ("[a-z]*" * 60 + "!", "a" * 250),
    ],
    ids=lambda value: value[:12],
)
def test_no_glob_takes_long_on_any_name(glob: str, name: str) -> None:
    started = time.perf_counter()
    assert not Glob(f"/{glob}").admits(name)
    assert time.perf_counter() - started < 0.5


@pytest.mark.parametrize("glob", ["{a", "a}{", "[a", "[z-a]", "[]", "[!]", "", "!", "./"])
def test_what_is_no_glob_is_refused_with_the_reason(glob: str) -> None:
    with pytest.raises(ValueError, match=re.compile("it", re.DOTALL)):
        Glob(glob)
