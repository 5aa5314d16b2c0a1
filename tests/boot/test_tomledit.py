"""Changing one value of a TOML file and nothing else."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from induscode.boot.tomledit import set_value
from induscode.errors import ConfigError

KEYS = st.text("abcdefgh_-", min_size=1, max_size=6)
VALUES = st.one_of(
    st.booleans(),
    st.integers(-999, 999),
    st.text(st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_characters="\x7f")),
    st.lists(st.text("xyz#='[] ", max_size=6), max_size=3),
)
COMMENTS = st.sampled_from(["", "  # why", " # 'quoted' = [odd]", "# close"])


def spelled(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(spelled(item) for item in value) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)


@settings(deadline=None)
@given(
    rows=st.dictionaries(KEYS, st.tuples(VALUES, COMMENTS), min_size=1, max_size=6),
    table=st.sampled_from(["", "t", "a.b"]),
    data=st.data(),
)
def test_one_value_changes_and_every_other_value_and_comment_stays(
    rows: dict[str, tuple[Any, str]], table: str, data: st.DataObject
) -> None:
    lines = [f"{key} = {spelled(value)}{comment}" for key, (value, comment) in rows.items()]
    head = [f"[{table}]"] if table else []
    text = "\n".join(["# the first line", *head, *lines, "", "[last]", "end = 1 # end"]) + "\n"
    key = data.draw(st.sampled_from(sorted(rows)))
    value = data.draw(VALUES)
    dotted = f"{table}.{key}" if table else key

    changed = set_value(text, dotted, spelled(value), "file")

    found, before = tomllib.loads(changed), tomllib.loads(text)
    for name in table.split(".") if table else ():
        found, before = found[name], before[name]
    assert found == {**before, key: value}
    assert tomllib.loads(changed)["last"] == {"end": 1}
    for comment in ["# the first line", "# end", *(c.strip() for _, c in rows.values())]:
        assert changed.count(comment) >= 1
    assert changed.count("\n") == text.count("\n")


@settings(deadline=None)
@given(VALUES)
def test_a_new_key_stands_in_its_own_table(value: Any) -> None:
    changed = set_value('mode = "ask" # mine\n', "network.wait", spelled(value), "file")
    assert changed.startswith('mode = "ask" # mine\n')
    assert tomllib.loads(changed) == {"mode": "ask", "network": {"wait": value}}


def test_what_is_no_toml_is_a_plain_string() -> None:
    assert set_value("", "model", "anthropic/x", "file") == 'model = "anthropic/x"\n'


@pytest.mark.parametrize("key", ["", "a..b", "a b", "a.", 'a"b'])
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(ConfigError, match="is not a dotted key"):
        set_value("", key, "1", "file")
