"""What a person is told of servers without asking: what fails, what changed, what came back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from shlex import quote

from induscode.boot.mcp.listings import Held, Listed
from induscode.boot.mcp.wording import last_of, one_line
from induscode.capability_deck.mcp_config.servers import ConfigProblem
from induscode.channels.terminal import exact
from induscode.interop.faults import ServerFault
from induscode.interop.standing import ServerState, Standing

__all__ = ["News"]

_TOLD = 5
"""Of one kind, in single lines; of more, how to see them."""

_HELD_MOST = 20
"""Times that tools of one server are told to be held."""

_SEE = "see: indus mcp list"
_DOWN = frozenset({ServerState.WAITING, ServerState.FAILED})


class News:
    """Each sentence once, but for tools that are held. `fault` hears what went wrong, `alert` the
    rest; nothing after `end`."""

    def __init__(self, fault: Callable[[str], None], alert: Callable[[str], None]) -> None:
        self._fault = fault
        self._alert = alert
        self._said: set[str] = set()
        self._down: set[str] = set()
        self._times: Counter[str] = Counter()
        self._over = False

    def end(self) -> None:
        self._over = True

    def problems(self, problems: Sequence[ConfigProblem]) -> None:
        """With the configuration."""
        self._few([exact(str(each)) for each in problems], "more problems with MCP configuration")

    def sentences(self, sentences: Iterable[str]) -> None:
        for sentence in sentences:
            self._tell(self._fault, exact(sentence))

    def waiting(self, servers: Sequence[str]) -> None:
        named = ", ".join(map(exact, servers))
        self._tell(self._alert, f"waiting for MCP servers: {named}")

    def listed(self, listed: Listed) -> None:
        """What is held is told in one line."""
        server = exact(listed.server)
        self._few([exact(each) for each in listed.refused], f"more refusals of {server}")
        if listed.held:
            self._held(server, _held_line(server, listed.held))

    def standing(self, before: Standing | None, now: Standing) -> None:
        server = now.server
        if now.state in _DOWN and now.fault is not None:
            self._down.add(server)
            self._tell(self._fault, _failure(now.fault))
        elif now.state is ServerState.READY:
            if now.fault is not None:
                self._tell(self._fault, _failure(now.fault))
            if server in self._down and (before is None or before.state is not ServerState.READY):
                self._down.discard(server)
                self._said = {each for each in self._said if repr(server) not in each}
                self._tell(self._alert, f"the MCP server {exact(server)!r} is connected again")

    def _held(self, server: str, sentence: str) -> None:
        """Also what was told before: it was approved meanwhile, and changed again."""
        self._times[server] += 1
        if self._over or self._times[server] > _HELD_MOST:
            return
        if self._times[server] == _HELD_MOST:
            sentence += "; it changes all the time: no further tools of it are told"
        self._fault(sentence)

    def _few(self, sentences: Sequence[str], more: str) -> None:
        for sentence in sentences[:_TOLD]:
            self._tell(self._fault, sentence)
        if len(sentences) > _TOLD:
            self._tell(self._fault, f"{len(sentences) - _TOLD} {more}; {_SEE}")

    def _tell(self, out: Callable[[str], None], sentence: str) -> None:
        if not self._over and sentence not in self._said:
            self._said.add(sentence)
            out(sentence)


def _failure(fault: ServerFault) -> str:
    """On one line, however many its server made of it: none of them looks like one of ours."""
    server = exact(fault.server)
    said = f"; it said: {last_of(fault.said)}" if fault.said else ""
    do = fault.hint or f"{_SEE} {quote(server)}"
    return f"the MCP server {server!r}: {one_line(fault.message)}{said}; {exact(do)}"


def _held_line(server: str, held: Sequence[Held]) -> str:
    names = ", ".join(each.name for each in held[:_TOLD])
    more = f" and {len(held) - _TOLD} more" if len(held) > _TOLD else ""
    what = "1 tool is" if len(held) == 1 else f"{len(held)} tools are"
    return (
        f"the MCP server {server!r}: {what} held until you approve: {names}{more}"
        f" ({held[0].reason}); {_SEE}; accept: indus mcp approve {quote(server)}"
    )
