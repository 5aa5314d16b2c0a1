"""The two-way check between the rows of requirements.toml and the marks on the tests."""

import ast
import re
from collections import Counter

from tests import mark_met
from tests.requirements import Mark, marks_of, read_marks, read_rows

# Only falls; `python -m tests.mark_met` lowers it.
PLANNED_AT_MOST = 38

WORD = "[a-z0-9]+(?:-[a-z0-9]+)*"
AREA = "addons|deck|ledger|briefing|feature|invariant|decision|turn|log|cli|mode|budget|files"
ID = re.compile(rf"(?:{AREA})(?:\.{WORD})+")
DOCUMENTS = {"000", "001", "002", "003", "004", "DESIGN", "LOG-NOTES", "INTERFACES"}

ROWS = read_rows()
MARKS = read_marks()
MARKED = {mark.id for mark in MARKS if mark.on_a_test}


def repeated(values: list[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def test_every_mark_names_a_row():
    ids = {row.id for row in ROWS}
    assert [mark for mark in MARKS if mark.id not in ids] == []


def test_every_mark_is_a_string_literal_on_a_test():
    assert [mark for mark in MARKS if mark.id is None or not mark.on_a_test] == []


def test_every_met_row_has_a_test():
    assert [row.id for row in ROWS if row.status == "met" and row.id not in MARKED] == []


def test_every_row_with_a_test_is_met():
    late = [row.id for row in ROWS if row.status != "met" and row.id in MARKED]
    assert late == [], "run: python -m tests.mark_met"


def test_planned_rows_only_fall():
    assert sum(row.status == "planned" for row in ROWS) <= PLANNED_AT_MOST


def test_every_status_is_planned_or_met():
    assert {row.status for row in ROWS} <= {"planned", "met"}


def test_ids_are_unique_and_well_formed():
    assert repeated([row.id for row in ROWS]) == []
    assert [row.id for row in ROWS if not ID.fullmatch(row.id)] == []


def test_sentences_are_unique_and_complete():
    assert repeated([row.sentence for row in ROWS]) == []
    assert [row.id for row in ROWS if not row.sentence.strip().endswith((".", '."'))] == []


def test_every_row_names_known_documents_once_and_in_order():
    order = sorted(DOCUMENTS, key=lambda name: (not name.isdigit(), name))
    for row in ROWS:
        names = row.document.split(",")
        assert set(names) <= DOCUMENTS, row.id
        assert names == sorted(set(names), key=order.index), row.id


def test_marks_are_read_from_every_place_where_pytest_takes_them():
    tree = ast.parse(
        """
pytestmark = [requirement("a.file")]

@requirement("a.one", "a.two")
@pytest.mark.parametrize("n", [pytest.param(1, marks=requirement("a.parameter"))])
async def test_it(n): ...

@pytest.mark.requirement("a.class")
class TestIt: ...

@requirement("a.helper", NAME)
def helper(): ...
"""
    )
    marks = list(marks_of(tree, "test_x.py"))
    on_tests = {mark.id for mark in marks if mark.on_a_test}
    assert on_tests == {"a.file", "a.one", "a.two", "a.parameter", "a.class"}
    assert Mark(None, "test_x.py:11", on_a_test=False) in marks
    assert [mark for mark in marks_of(tree, "fakes.py") if mark.on_a_test] == []


def test_marking_rows_met_changes_their_status_and_nothing_else():
    text = (
        '# a\n[[requirement]]\nid = "a.b"\nstatus = "planned"\n\n'
        '[[requirement]]\nid = "a.c"\nstatus = "planned" # waits\n'
    )
    assert mark_met.with_met(text, {"a.b"}) == text.replace("planned", "met", 1)
    assert mark_met.with_met(text, set()) == text


def test_the_count_of_planned_rows_is_lowered_and_never_raised():
    source = "# Only falls\nPLANNED_AT_MOST = 7\n"
    assert mark_met.with_bound(source, 5) == source.replace("7", "5")
    assert mark_met.with_bound(source, 9) == source
