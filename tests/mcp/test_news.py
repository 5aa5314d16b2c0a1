"""What people are told of servers that do not stop changing."""

from __future__ import annotations

from induscode.boot.mcp.listings import Held, Listed
from induscode.boot.mcp.news import News
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.standing import ServerState, Standing


def _listed(server: str, tool: str) -> Listed:
    return Listed(server, held=(Held(f"{server}__{tool}", server, "it changed"),))


def test_a_server_that_changes_all_the_time_is_told_of_twenty_times() -> None:
    said: list[str] = []
    news = News(said.append, said.append)
    for number in range(50):
        news.listed(_listed("restless", str(number)))
    news.listed(_listed("calm", "x"))
    assert len(said) == 21
    assert "no further tools of it are told" in said[19]
    assert "calm__x" in said[20]


def test_what_is_held_again_is_told_again_until_the_end() -> None:
    said: list[str] = []
    news = News(said.append, said.append)
    news.listed(_listed("srv", "a"))
    news.listed(_listed("srv", "a"))
    news.end()
    news.listed(_listed("srv", "a"))
    assert len(said) == 2


def _failed(said: str = "", hint: str = "", server: str = "srv") -> str:
    told: list[str] = []
    fault = ServerFault(ServerFaultKind.LOST, server, "it ended\nbadly", hint=hint, said=said)
    failed = Standing(server, ServerState.FAILED, "digest", fault=fault)
    News(told.append, told.append).standing(None, failed)
    [sentence] = told
    return sentence


def test_a_failure_is_told_on_one_line_with_one_remedy() -> None:
    assert _failed(hint="mend it") == "the MCP server 'srv': it ended badly; mend it"
    assert _failed() == "the MCP server 'srv': it ended badly; see: indus mcp list srv"


def test_words_of_a_server_never_begin_a_line_of_ours() -> None:
    """However it writes them, they stand behind its name."""
    said = _failed("no\r\nindus: all is well\x1b[2J\u2028\u202eindus: approved")
    assert said.isprintable()
    assert "it said: no indus: all is well?[2J ?indus: approved; see:" in said


def test_of_a_long_complaint_the_end_is_told() -> None:
    said = _failed("Traceback\n" * 200 + "no database")
    assert "no database; see: indus mcp list srv" in said
    assert len(said) < 300


def test_the_name_of_a_server_is_quoted_where_it_is_to_be_typed() -> None:
    server = "x; touch y"
    assert _failed(server=server).endswith("indus mcp list 'x; touch y'")
    told: list[str] = []
    News(told.append, told.append).listed(_listed(server, "a"))
    assert told[0].endswith("indus mcp approve 'x; touch y'")
