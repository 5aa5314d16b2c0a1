"""`{"answer": ..., "choice": ..., "left_out": N}`: what the engine will be given, word for word.

The body of a request is the whole of what decides its answer: `choice` (where tools are offered) is
put to the engine first, and `answer` when it chose none. Both are made anew from the end of the
conversation, so nothing is kept between requests.
"""

from __future__ import annotations

import msgspec

from induscode.gateway.local.prompts import DECK, answer_prompt, choice_prompt
from induscode.gateway.local.transcript import cut, read_transcript
from induscode.kernel.jsontext import canonical, digest
from induscode.kernel.model import Body
from induscode.kernel.request import Head, NeutralRequest, ToolSchema

__all__ = ["LocalEncoder"]

_WISHES = 300
_ANSWER_TOKENS = 160


class _Parameters(msgspec.Struct):
    properties: dict[str, msgspec.Raw] = {}


class LocalEncoder:
    @property
    def version(self) -> str:
        return "local/1"

    def encode(self, request: NeutralRequest) -> Body:
        head, transcript = request.head, read_transcript(request)
        most = min(head.parameters.max_output, _ANSWER_TOKENS)
        body: dict[str, object] = {
            "answer": answer_prompt(transcript, _wishes(head), most),
            "left_out": transcript.removed,
        }
        if transcript.is_asked:
            offered = {tool.name for tool in head.tools if _is_ours(tool)}
            choice = choice_prompt(transcript.question.text, offered)
            if choice is not None:
                body["choice"] = choice
        data = canonical(body)
        return Body(data=data, sha256=digest(data))


def _is_ours(tool: ToolSchema) -> bool:
    """Whether it takes the argument that we know a tool of this name by."""
    known = msgspec.json.decode(tool.parameters, type=_Parameters).properties
    return DECK.get(tool.name, "") in known


def _wishes(head: Head) -> str:
    """What somebody else than us wrote into the system prompt: it has a source."""
    texts = [span.text for span in head.system if span.source]
    return cut("\n".join(texts), _WISHES).text
