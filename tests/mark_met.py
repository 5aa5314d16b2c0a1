"""Move the rows that carry tests to "met" and lower the count of planned rows.

Run as `python -m tests.mark_met` after writing tests. Only the words that change are rewritten. A
row never goes back to "planned" by this road, and an unknown id is refused.
"""

import argparse
import re
import sys
from pathlib import Path

from tests.requirements import HERE, ROWS_FILE, read_marks, read_rows

BOUND_FILE = HERE / "test_requirements.py"
ID_LINE = re.compile(r'id = "([^"]*)"')
STATUS_LINE = re.compile(r'status = "planned"')
BOUND_LINE = re.compile(r"^PLANNED_AT_MOST = (\d+)$", re.MULTILINE)


def with_met(text: str, ids: set[str]) -> str:
    """Return the rows' text with the status of these ids set to "met"."""
    current = ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if found := ID_LINE.match(line):
            current = found[1]
        elif current in ids:
            lines[number] = STATUS_LINE.sub('status = "met"', line)
    return "".join(lines)


def with_bound(source: str, planned: int) -> str:
    """Return the test's source with PLANNED_AT_MOST lowered to this count, never raised."""
    return BOUND_LINE.sub(lambda found: f"PLANNED_AT_MOST = {min(int(found[1]), planned)}", source)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mark_met", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if it would")
    options = parser.parse_args(arguments)

    rows = {row.id: row for row in read_rows()}
    marked = {mark.id for mark in read_marks() if mark.id is not None and mark.on_a_test}
    if unknown := sorted(marked - rows.keys()):
        sys.stderr.write(f"marks without a row: {', '.join(unknown)}\n")
        return 1

    newly_met = {id_ for id_ in marked if rows[id_].status == "planned"}
    planned = sum(row.status == "planned" for row in rows.values()) - len(newly_met)
    changes = [
        replaced(ROWS_FILE, with_met(ROWS_FILE.read_text(encoding="utf-8"), newly_met)),
        replaced(BOUND_FILE, with_bound(BOUND_FILE.read_text(encoding="utf-8"), planned)),
    ]
    if not options.check:
        for file, text in filter(None, changes):
            file.write_text(text, encoding="utf-8")
    verb = "would become" if options.check else "became"
    sys.stdout.write(f"{len(newly_met)} rows {verb} met; {planned} of {len(rows)} are planned\n")
    return 1 if options.check and any(changes) else 0


def replaced(file: Path, text: str) -> tuple[Path, str] | None:
    """Return the file with its new text, or None where nothing changes."""
    return None if file.read_text(encoding="utf-8") == text else (file, text)


if __name__ == "__main__":
    sys.exit(main())
