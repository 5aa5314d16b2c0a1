"""Tools of MCP servers as a session records them: which there are, and why one is not any more."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["BridgedTool", "GoneTool"]


class BridgedTool(Struct, frozen=True, omit_defaults=True):
    """A tool that is live. `key` is the one of the workspace's ledger; `definition` and `launch`
    are the digests that were approved. What is `deferred` is not told to the model before it was
    searched for."""

    name: str
    server: str
    key: str
    definition: str
    launch: str
    deferred: bool = False


class GoneTool(Struct, frozen=True):
    """A tool that is not live any more, and why."""

    name: str
    reason: str
