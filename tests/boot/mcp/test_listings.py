"""What servers list on its way into the ledger: bounded, and held where it cannot be kept."""

from __future__ import annotations

from pathlib import Path

from induscode.boot.mcp.adapting import LISTING_BYTES
from induscode.boot.mcp.listings import CHANGES_MOST, Listings
from induscode.capability_deck.bridge_ledger.store import LedgerStore
from induscode.interop.offers import OfferedTool
from induscode.interop.standing import ServerState, Standing


def listings(folder: Path) -> Listings:
    return Listings(*LedgerStore.open(folder / "ledger.jsonl"), lambda: "2026-01-01T00:00:00Z")


def ready(*tools: OfferedTool) -> Standing:
    return Standing("srv", ServerState.READY, "launch", tools=tools)


def tool(name: str, description: str = "", **schema: object) -> OfferedTool:
    return OfferedTool(name, description, {"type": "object", **schema})


def test_a_server_that_never_stops_changing_is_held_and_the_ledger_ends(tmp_path: Path) -> None:
    book = listings(tmp_path)
    book.take(ready(tool("steady"), tool("a")))
    (steady, _) = book.live("srv")
    for number in range(CHANGES_MOST + 20):
        last = book.take(ready(tool("steady"), tool("a", str(number))))

    assert f"over {CHANGES_MOST} times" in last.refused[0]
    assert book.live("srv") == []
    assert "cannot be recorded" in (book.denial(steady) or "")
    assert len(book.ledger.log) <= 4 + 2 * CHANGES_MOST


def test_listing_the_same_again_is_no_change(tmp_path: Path) -> None:
    book = listings(tmp_path)
    for _ in range(CHANGES_MOST + 20):
        last = book.take(ready(tool("a")))
    assert last.refused == ()
    assert [each.name for each in book.live("srv")] == ["srv__a"]


def test_all_tools_of_a_server_together_have_a_bound_and_the_first_are_kept(
    tmp_path: Path,
) -> None:
    size = 30 * 1024
    count = LISTING_BYTES // size + 10
    offered = [tool(f"t{n}", properties={"x": {"description": "d" * size}}) for n in range(count)]
    book = listings(tmp_path)
    last = book.take(ready(*offered))

    kept = len(book.live("srv"))
    assert 0 < kept < count
    assert len(last.refused) == count - kept
    assert f"over {LISTING_BYTES} bytes" in last.refused[0]


def test_what_no_model_could_be_told_of_is_not_live(tmp_path: Path) -> None:
    book = listings(tmp_path)
    last = book.take(ready(tool("long", "d" * 9_000), OfferedTool("odd", "", {"type": "array"})))
    assert book.live("srv") == []
    assert ["description has over" in said or "type object" in said for said in last.refused] == [
        True,
        True,
    ]
