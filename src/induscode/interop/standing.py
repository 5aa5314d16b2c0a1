"""How a server of the fleet stands: for whoever shows it, and for the ledger."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from induscode.interop.faults import ServerFault
from induscode.interop.offers import OfferedPrompt, OfferedTool

__all__ = ["ServerState", "Standing"]


class ServerState(StrEnum):
    """`waiting`: it is tried again by itself. `failed`: it is not, until somebody asks for it."""

    CONNECTING = "connecting"
    READY = "ready"
    WAITING = "waiting"
    FAILED = "failed"
    CLOSED = "closed"


class Standing(Struct, frozen=True):
    """`tools` are those that were last listed and are admitted, also when it is gone; `prompts` are
    those that were last listed. `has_resources` says whether there are any: they are
    listed when somebody wants them. `fault` is the last one, None while all is well; one that is
    ready may have one, when a list of it could not be read. `wait_seconds` is the time between this
    and the next attempt. `launch` is the digest of how it is launched."""

    server: str
    state: ServerState
    launch: str
    tools: tuple[OfferedTool, ...] = ()
    protocol: str = ""
    fault: ServerFault | None = None
    wait_seconds: float = 0.0
    prompts: tuple[OfferedPrompt, ...] = ()
    has_resources: bool = False

    def clause(self) -> str:
        """What to say of one without a connection, in a sentence that begins with its name."""
        why = f": {self.fault.message}" if self.fault is not None else ""
        match self.state:
            case ServerState.CONNECTING:
                return f"is being connected{why}"
            case ServerState.READY:
                return f"lost its connection just now{why}"
            case ServerState.WAITING:
                return f"is not connected, and is tried again in {self.wait_seconds:g} s{why}"
            case ServerState.FAILED:
                return f"is not connected, and is not tried again by itself{why}"
            case ServerState.CLOSED:
                return "was closed with this session"
