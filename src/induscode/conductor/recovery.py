"""What a session owes when it is opened again: an honest end for every call left open.

"Started, outcome unknown" and "never started" are told apart by the intent. Nothing is ever run
again by itself.
"""

from __future__ import annotations

from induscode.session.entries import Interrupted
from induscode.session.projection import Projection
from induscode.session.state import SessionState

__all__ = ["close_open_calls"]

_STARTED = (
    "Interrupted: this call was started, and the session ended before its result was recorded. It"
    " may have happened completely, partly or not at all. Check before doing it again."
)
_NOT_STARTED = "Interrupted: the session ended before this call was started. It did not run."


def close_open_calls(projection: Projection, state: SessionState) -> list[Interrupted]:
    """Entries that end the calls of the last answer that have no result."""
    return [
        Interrupted(
            call=open_call.id,
            tool=open_call.call.name,
            started=open_call.id in state.started,
            text=_STARTED if open_call.id in state.started else _NOT_STARTED,
        )
        for open_call in projection.open_calls
        if not projection.has_result(open_call.id)
    ]
