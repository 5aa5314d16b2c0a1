"""The life of one server in the fleet: connect, serve, lose, wait, connect again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from induscode.capability_deck.mcp_config.servers import ServerConfig
from induscode.interop.deadline import first_of
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Ground
from induscode.interop.limits import MESSAGE_CHARACTERS
from induscode.interop.offers import Offer
from induscode.interop.opening import Opener
from induscode.interop.standing import ServerState, Standing

if TYPE_CHECKING:
    from induscode.interop.connection import Connection

__all__ = ["Member", "Told"]

Told = Callable[[Standing], None]
_SECONDS_BETWEEN_LISTS = 0.2


class Member:
    """`standing` is how it is now; `told` hears of each new one. Nothing of it raises, and nothing
    that happens to it is of any concern to another."""

    def __init__(self, config: ServerConfig, ground: Ground, opener: Opener, told: Told) -> None:
        self.config = config
        self.settled = asyncio.Event()
        """The first attempt is over, well or not."""
        self.connection: Connection | None = None
        """While it is ready."""
        self.standing = Standing(config.name, ServerState.CONNECTING, config.launch)
        self._ground = ground
        self._opener = opener
        self._told = told
        self._stale: set[Offer] = set()
        self._changed = asyncio.Event()
        self._amiss: dict[Offer, ServerFault] = {}
        """Lists that could not be read again, of one that is ready."""
        self._wanted = asyncio.Event()
        self._life: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._life = asyncio.ensure_future(self._live())

    def reconnect(self) -> None:
        """Try again now, if it waits or has failed."""
        self._wanted.set()

    async def close(self) -> None:
        if self._life is not None:
            self._life.cancel()
            await asyncio.wait((self._life,))
        self._become(ServerState.CLOSED)
        self.settled.set()

    async def _live(self) -> None:
        failures = 0
        while True:
            steady, fault = await self._attempt()
            failures = 1 if steady else failures + 1
            self._wanted.clear()
            if fault.kind.lasting or failures >= self._ground.limits.attempts:
                self._become(ServerState.FAILED, fault)
                await self._wanted.wait()
                failures = 0
            else:
                await self._wait(self._pause(failures), fault)

    async def _attempt(self) -> tuple[bool, ServerFault]:
        """Connect and serve. Returns whether it served for long, and why it does not any more."""
        loop = asyncio.get_running_loop()
        self._become(ServerState.CONNECTING, self.standing.fault)
        connection: Connection | None = None
        began = loop.time()
        self._stale.clear()
        self._amiss.clear()
        try:
            connection = await self._opener.open(self.config, self._ground, self._heard)
            await self._list(connection)
            others = (Offer.PROMPTS, Offer.RESOURCES)
            await asyncio.gather(*(self._refresh(connection, offer) for offer in others))
            began = loop.time()
            self._serves(connection)
            fault = await self._serve(connection)
        except ServerFault as raised:
            # One that ended by itself says `closed` to whoever asks next; why it ended counts.
            known = None if connection is None else connection.fault
            fault = known if known and raised.kind is ServerFaultKind.CLOSED else raised
        finally:
            self.connection = None
            if connection is not None:
                await connection.close()
        return loop.time() - began >= self._ground.limits.steady_seconds, fault

    async def _serve(self, connection: Connection) -> ServerFault:
        """Until the connection is over. Lists that change are read again, but not all the time.
        Raises as `_refresh` does."""
        while True:
            await first_of(connection.over, self._changed)
            if connection.over.is_set():
                return connection.fault or _gone(self.config.name)
            self._changed.clear()
            stale, self._stale = self._stale, set()
            for offer in sorted(stale):
                await self._refresh(connection, offer)
            self._serves(connection)
            await first_of(connection.over, seconds=_SECONDS_BETWEEN_LISTS)

    async def _refresh(self, connection: Connection, offer: Offer) -> None:
        """A list that cannot be read stays as it was, and is told of. Raises `ServerFault` when the
        connection is gone with it."""
        self._amiss.pop(offer, None)
        try:
            match offer:
                case Offer.TOOLS:
                    await self._list(connection)
                case Offer.PROMPTS:
                    self._note(prompts=await connection.prompts())
                case Offer.RESOURCES:
                    self._note(has_resources=await connection.has_resources())
        except ServerFault as fault:
            if fault.kind.ends:
                raise
            self._amiss[offer] = fault

    async def _wait(self, seconds: float, fault: ServerFault) -> None:
        self._become(ServerState.WAITING, fault, wait_seconds=seconds)
        await first_of(self._wanted, seconds=seconds)

    def _pause(self, failures: int) -> float:
        limits = self._ground.limits
        return min(limits.backoff_seconds * 2 ** (failures - 1), limits.backoff_seconds_most)

    def _heard(self, offer: Offer) -> None:
        self._stale.add(offer)
        self._changed.set()

    async def _list(self, connection: Connection) -> None:
        """Tools that are none are left out and told of. Raises `ServerFault`."""
        tools = await connection.tools()
        self._note(tools=tuple(tool for tool in tools if self.config.admits(tool.name)))
        if wrong := connection.unusable:
            more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            said = f"a tool that it lists is left out: {wrong[0]}{more}"[:MESSAGE_CHARACTERS]
            self._amiss[Offer.TOOLS] = ServerFault(
                ServerFaultKind.BAD_ANSWER, self.config.name, said
            )

    def _serves(self, connection: Connection) -> None:
        self.connection = connection
        fault = next(iter(self._amiss.values()), None)
        self._become(ServerState.READY, fault, protocol=connection.protocol)

    def _note(self, **changed: Any) -> None:
        self.standing = msgspec.structs.replace(self.standing, **changed)

    def _become(
        self,
        state: ServerState,
        fault: ServerFault | None = None,
        *,
        protocol: str = "",
        wait_seconds: float = 0.0,
    ) -> None:
        self.standing = msgspec.structs.replace(
            self.standing, state=state, fault=fault, protocol=protocol, wait_seconds=wait_seconds
        )
        if state is not ServerState.CONNECTING:
            self.settled.set()
        self._told(self.standing)


def _gone(server: str) -> ServerFault:
    return ServerFault(ServerFaultKind.LOST, server, "the connection ended")
