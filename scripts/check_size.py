"""Hold the house to its sizes: lines per file, and suppression comments in src.

Exits 1 and names every offender. The limits below are promises: they may fall, never rise.
"""

import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAX_LINES = 400
MAX_SUPPRESSIONS = 10  # only falls

ROOT = Path(__file__).resolve().parent.parent

# Each kind, its codes, and the reason up to the next comment on the same line.
SUPPRESSION = re.compile(
    r"#\s*(?P<kind>(?:ruff:\s*|flake8:\s*)?noqa|type:\s*ignore|pyright:\s*(?:ignore|\w+(?==)|basic|standard))"
    r"(?P<codes>:\s*[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*|\[[^\]]*\]|=\w+)?"
    r"(?P<reason>[^#]*)",
    re.IGNORECASE,
)
REASON = re.compile(r"[^\W\d_]{2,}.*[^\W\d_]{2,}")  # at least two words, whatever separates them


@dataclass(frozen=True, slots=True)
class Suppression:
    path: Path
    line: int
    text: str
    has_code: bool
    has_reason: bool


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def suppressions(path: Path) -> Iterator[Suppression]:
    """Yield those in comments only; a string that mentions one suppresses nothing."""
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type != tokenize.COMMENT:
                continue
            for found in SUPPRESSION.finditer(token.string):
                yield Suppression(
                    path=path,
                    line=token.start[0],
                    text=found[0].strip(),
                    has_code=found["codes"] is not None,
                    has_reason=REASON.search(found["reason"]) is not None,
                )


def complaints() -> Iterator[str]:
    for path in sources("src", "tests"):
        with path.open("rb") as file:
            count = sum(1 for _ in file)
        if count > MAX_LINES:
            yield f"{path.relative_to(ROOT)}: {count} lines, the limit is {MAX_LINES}; split it"

    found = [each for path in sources("src") for each in suppressions(path)]
    for each in found:
        where = f"{each.path.relative_to(ROOT)}:{each.line}"
        if not each.has_code:
            yield f"{where}: suppresses everything; name the rule: {each.text}"
        if not each.has_reason:
            yield f"{where}: give the reason after the rule: {each.text}"
    if len(found) > MAX_SUPPRESSIONS:
        yield f"src: {len(found)} suppressions, the limit is {MAX_SUPPRESSIONS} and only falls"


def main() -> int:
    problems = list(complaints())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
