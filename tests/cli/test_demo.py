"""`indus demo` is the first thing a stranger runs."""

from __future__ import annotations

from tests.cli.home import Home
from tests.requirements import requirement


@requirement("cli.command.demo")
def test_the_tour_runs_to_its_end_without_a_key_and_leaves_nothing_behind(home: Home) -> None:
    home.key = ""
    home.extra = {"TMPDIR": str(home.root)}
    ran = home.run("demo")

    assert ran.code == 0, ran.err
    assert "unknown harbour 'atlantis'" in ran.out, "the mended program really ran"
    assert "PASS  4 of 4 requests" in ran.out
    assert "builtin:files put it there" in ran.out
    assert ran.out.rstrip().endswith("run `indus` in your project.")
    assert home.logs() == []
    assert {path.name for path in home.root.iterdir()} == {"home", "work"}
