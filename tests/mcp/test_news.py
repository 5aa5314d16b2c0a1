"""What people are told of servers that do not stop changing."""

from __future__ import annotations

from induscode.boot.mcp.listings import Held, Listed
from induscode.boot.mcp.news import News


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
