"""One connection to one server, over the official SDK.

The SDK wants to be entered and left by the same task, so each connection has one of its own, which
lives as long as it does. Requests are made by whoever wants something.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from mcp.client import Client, IncomingMessage
from mcp.client.client import ConnectMode
from mcp.shared.dispatcher import ProgressFnT
from mcp.types import (
    CallToolResult,
    Implementation,
    PromptListChangedNotification,
    ResourceListChangedNotification,
    ToolListChangedNotification,
)

from induscode.capability_deck.contract import ToolOutcome
from induscode.capability_deck.mcp_config.servers import (
    RemoteServer,
    ServerConfig,
    StdioServer,
    Transport,
)
from induscode.interop.answering import Answering
from induscode.interop.deadline import Pause, finished, first_of
from induscode.interop.faults import ServerFault, ServerFaultKind
from induscode.interop.ground import Ground
from induscode.interop.launching import Launched, launched
from induscode.interop.limits import MESSAGE_CHARACTERS
from induscode.interop.listing import (
    any_resource,
    listed_prompts,
    listed_resources,
    listed_tools,
)
from induscode.interop.local import local_transport
from induscode.interop.mending import mending
from induscode.interop.oauth.bearer import bearer_of, refusal_of
from induscode.interop.offers import Offer, OfferedPrompt, OfferedResource, OfferedTool
from induscode.interop.remote import remote_transport
from induscode.interop.results import outcome_of, prompt_blocks, resource_blocks
from induscode.interop.subscribing import subscribed
from induscode.interop.translating import Translator
from induscode.interop.watch import Watch
from induscode.kernel.content import SaidBlock
from induscode.kernel.tool import Progress
from induscode.version import VERSION

__all__ = ["Changed", "Connection"]

T = TypeVar("T")
Changed = Callable[[Offer], None]
_SECONDS_TO_UNWIND = 1.0

# What the SDK has to say comes back as faults; without this, Python prints it on stderr.
for _name in ("mcp", "client"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Connection:
    """`open` it, and `close` it at the end. `over` is set when it ended by itself; `fault` says why
    then. `changed` is called when the server says that a list of its changed. `program` is the one
    of a local server, if it was started already; it is the connection's then, which is to be opened
    at once."""

    def __init__(
        self,
        server: ServerConfig,
        ground: Ground,
        changed: Changed,
        program: Launched | None = None,
    ) -> None:
        self.server = server.name
        self.protocol = ""
        """The version that was agreed on, when it is open."""
        self.unusable: list[str] = []
        """What of its last list of tools is none, and why."""
        self._config = server
        self._ground = ground
        self._changed = changed
        self._watch = Watch()
        self._pause = Pause()
        self._program = program
        self._bearer = bearer_of(server, ground.vault, ground.secrets, self._watch)
        self._translator = Translator(
            server.name, ground.secrets, lambda: refusal_of(server, self._bearer)
        )
        self._closing = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._life: asyncio.Task[None] | None = None

    @property
    def over(self) -> asyncio.Event:
        return self._watch.over

    @property
    def fault(self) -> ServerFault | None:
        return self._watch.fault

    def said(self) -> str:
        """The end of what a local server wrote to stderr, without secrets."""
        return "" if self._program is None else self._program.tail.text()

    async def open(self) -> None:
        """Raises `ServerFault`; nothing is left of it then."""
        self._ground.learn_secrets(self._config)
        client = self._over(*await self._transport())
        self._life = asyncio.ensure_future(self._live(client))
        self._life.add_done_callback(self._ended)
        seconds = self._config.startup_seconds or self._ground.limits.startup_seconds
        try:
            await asyncio.wait((self._ready,), timeout=seconds)
        finally:
            if not self._ready.done():
                await self.close()
        if self._watch.fault is not None:
            raise self._with_said(self._watch.fault)
        if self._ready.cancelled():
            late = f"it was not ready within {seconds:g} s"
            hint = "see that it runs, or give it longer with startup_timeout_sec"
            raise self._with_said(
                ServerFault(ServerFaultKind.NO_HANDSHAKE, self.server, late, hint=hint)
            )

    async def close(self) -> None:
        """A second time does nothing. Never raises."""
        self._closing.set()
        if self._life is None:
            return
        if not self._ready.done():
            self._life.cancel()
        await asyncio.wait((self._life,), timeout=4 * self._ground.limits.close_seconds)
        if not self._life.done():
            self._life.cancel()
            await asyncio.wait((self._life,), timeout=_SECONDS_TO_UNWIND)

    async def tools(self) -> tuple[OfferedTool, ...]:
        """In the server's order. This and all that follow raise `ServerFault`."""
        self.unusable.clear()
        return await self._asked("its tools", listed_tools(self._client(), self.server))

    async def prompts(self) -> tuple[OfferedPrompt, ...]:
        """Within a time of its own, since tools wait for it."""
        work = listed_prompts(self._client(), self.server)
        return await self._asked("its prompts", work, self._ground.limits.prompts_seconds)

    async def has_resources(self) -> bool:
        """Whether there is anything to be read, within the same time."""
        work = any_resource(self._client())
        return await self._asked("its resources", work, self._ground.limits.prompts_seconds)

    async def resources(self) -> tuple[OfferedResource, ...]:
        return await self._asked("its resources", listed_resources(self._client(), self.server))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> tuple[SaidBlock, ...]:
        work = self._client().get_prompt(name, dict(arguments))
        return prompt_blocks(await self._asked(f"the prompt {name}", work))

    async def read(self, uri: str) -> tuple[SaidBlock, ...]:
        work = self._client().read_resource(uri)
        return resource_blocks(await self._asked(f"the resource {uri}", work))

    async def call(
        self, tool: str, arguments: Mapping[str, Any], progress: Progress | None = None
    ) -> ToolOutcome:
        """Cancelled, it tells the server so."""
        work = self._client().call_tool(
            tool, dict(arguments), progress_callback=_progress(progress, self._ground.secrets.text)
        )
        result: CallToolResult = await self._asked(f"the tool {tool}", work)
        return outcome_of(result)

    async def _asked(self, what: str, work: Coroutine[Any, Any, T], seconds: float = 0.0) -> T:
        seconds = seconds or self._config.call_seconds or self._ground.limits.call_seconds
        with self._watch.asking() as answered:
            task = await finished(work, seconds, self._pause)
        if task is None:
            raise self._fault(
                ServerFaultKind.OUT_OF_TIME, f"{what}: no answer within {seconds:g} s"
            )
        error = task.exception()
        if error is None:
            return task.result()
        fault = self._translator.fault(error, what, status=answered.status)
        if fault.kind is ServerFaultKind.LOST:
            raise await self._loss(what, fault) from error
        raise fault from error

    async def _loss(self, what: str, fault: ServerFault) -> ServerFault:
        """Why it was lost, which is known in a moment if ever. It is over in any case."""
        await first_of(self._watch.over, self._closing, seconds=_SECONDS_TO_UNWIND)
        self._watch.end(fault)
        known = self._watch.fault
        if known is None or known is fault:
            return fault
        return self._with_said(self._fault(ServerFaultKind.LOST, f"{what}: {known.message}"))

    def _client(self) -> Client:
        """Raises `ServerFault` when the connection is not open."""
        if self._watch.fault is not None:
            why = f"it is not connected: {self._watch.fault.message}"
            raise self._fault(ServerFaultKind.CLOSED, why)
        if not self._ready.done() or self._ready.cancelled() or self._closing.is_set():
            raise self._fault(ServerFaultKind.CLOSED, "it is not connected")
        return self._ready.result()

    async def _live(self, entering: Client) -> None:
        async with entering as client:
            self.protocol = client.protocol_version
            self._ready.set_result(client)
            listening = asyncio.ensure_future(subscribed(client, self._changed))
            try:
                await first_of(self._closing, self._watch.over)
            finally:
                listening.cancel()
                await asyncio.wait((listening,), timeout=_SECONDS_TO_UNWIND)

    async def _transport(self) -> tuple[Any, ConnectMode]:
        limits = self._ground.limits
        match self._config:
            case StdioServer() as server:
                program = self._program = self._program or await launched(server, self._ground)
                close = limits.close_seconds
                return local_transport(program, self.server, close, self._watch), "auto"
            case RemoteServer() as server:
                transport = remote_transport(server, limits.frame_bytes, self._watch, self._bearer)
                return transport, "legacy" if server.transport is Transport.SSE else "auto"

    def _over(self, transport: Any, mode: ConnectMode) -> Client:
        answering = Answering(self.server, self._ground.workspace, self._ground.ask, self._pause)
        return Client(
            mending(transport, lambda: self.protocol, self.unusable.append),
            mode=mode,
            cache=None,
            client_info=Implementation(name="induscode", version=VERSION),
            elicitation_callback=answering.elicit,
            list_roots_callback=answering.roots,
            message_handler=self._heard,
        )

    async def _heard(self, message: IncomingMessage) -> None:
        match message:
            case ToolListChangedNotification():
                self._changed(Offer.TOOLS)
            case PromptListChangedNotification():
                self._changed(Offer.PROMPTS)
            case ResourceListChangedNotification():
                self._changed(Offer.RESOURCES)
            case _:
                return

    def _ended(self, life: asyncio.Task[None]) -> None:
        """Of every end there is a reason, unless we closed."""
        error = None if life.cancelled() else life.exception()
        if error is not None and self._watch.fault is None:
            self._watch.end(self._translator.fault(error, status=self._watch.status))
        if self._watch.fault is None and not self._closing.is_set():
            self._watch.end(self._fault(ServerFaultKind.LOST, "the connection ended"))
        if not self._ready.done():
            self._ready.cancel()

    def _fault(self, kind: ServerFaultKind, message: str) -> ServerFault:
        return ServerFault(kind, self.server, message)

    def _with_said(self, fault: ServerFault) -> ServerFault:
        said = "" if self._program is None else self._program.tail.last()
        if fault.said or not said:
            return fault
        return ServerFault(fault.kind, fault.server, fault.message, hint=fault.hint, said=said)


def _progress(tell: Progress | None, clean: Callable[[str], str]) -> ProgressFnT | None:
    if tell is None:
        return None

    async def told(progress: float, total: float | None, message: str | None) -> None:
        amount = f"{progress:g}" if total is None else f"{progress:g} of {total:g}"
        text = f"{amount}: {message}" if message else amount
        tell(clean(text)[:MESSAGE_CHARACTERS])

    return told
