"""The page about the protocol runs, and names what there is."""

from pathlib import Path

from induscode.channels.rpc import RpcServer
from induscode.channels.rpcperson import RpcPerson
from tests.docs_blocks import run_page

PAGE = Path(__file__).parents[2] / "docs" / "rpc.md"


def test_the_client_of_the_page_works(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) >= 2


async def test_the_page_has_a_row_for_every_method_and_error() -> None:
    text = PAGE.read_text(encoding="utf-8")
    server = RpcServer(None, RpcPerson(), lambda line: None)  # pyright: ignore[reportArgumentType] never driven
    codes = (-32700, -32600, -32601, -32602, -32603, -32000, -32001, -32002, -32003)

    assert [name for name in server.methods if f"| `{name}" not in text] == []
    assert [code for code in codes if f"| {code} |" not in text] == []
