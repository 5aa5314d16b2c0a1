"""What servers ask of us: the person's words, our roots, our model."""

from __future__ import annotations

from pathlib import Path

from mcp.client import ClientRequestContext
from mcp.types import (
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    ListRootsResult,
    Root,
)
from pydantic import FileUrl

from induscode.interop.deadline import Pause
from induscode.interop.ground import Ask, Asked, Reply
from induscode.interop.limits import QUESTIONS_MOST

__all__ = ["Answering"]


class Answering:
    """For one server. While the person is asked, no deadline of a call runs. Sampling is not here:
    we do not offer it, so the SDK declines it."""

    def __init__(self, server: str, workspace: Path, ask: Ask | None, pause: Pause) -> None:
        self._server = server
        self._workspace = workspace
        self._ask = ask
        self._pause = pause

    async def roots(self, context: ClientRequestContext) -> ListRootsResult:
        """The workspace, and nothing else."""
        uri = FileUrl(self._workspace.as_uri())
        return ListRootsResult(roots=[Root(uri=uri, name=self._workspace.name or None)])

    async def elicit(
        self, context: ClientRequestContext, params: ElicitRequestParams
    ) -> ElicitResult:
        if self._ask is None or self._pause.questions >= QUESTIONS_MOST:
            return ElicitResult(action="decline")
        reply = await self._pause.asked(_put(self._ask, self._asked(params)))
        return _told(reply or Reply(dismissed=True))

    def _asked(self, params: ElicitRequestParams) -> Asked:
        match params:
            case ElicitRequestFormParams():
                return Asked(self._server, params.message, params.requested_schema)
            case ElicitRequestURLParams():
                return Asked(self._server, params.message, url=params.url)


async def _put(ask: Ask, asked: Asked) -> Reply:
    return await ask(asked)


def _told(reply: Reply) -> ElicitResult:
    if not reply.accepted:
        return ElicitResult(action="cancel" if reply.dismissed else "decline")
    return ElicitResult(
        action="accept", content=None if reply.content is None else dict(reply.content)
    )
