"""What a session owes when it is opened again: an honest end for every call left open.

"Started, outcome unknown" and "never started" are told apart by the intent. Nothing is ever run
again by itself. A call that never started waits as long as the turn may still go on: it passes the
gate again then, and a question that was open is asked again.
"""

from __future__ import annotations

from induscode.session.entries import Interrupted
from induscode.session.projection import OpenCall, Projection
from induscode.session.state import SessionState

__all__ = ["calls_left", "close_open_calls"]

_STARTED = (
    "Interrupted: this call was started, and the session ended before its result was recorded. It"
    " may have happened completely, partly or not at all. Check before doing it again."
)
_DELEGATE = (
    " It had handed its work to the session {session}, whose log says how far that came; nothing of"
    " its answer is known here."
)
_NOT_STARTED = "Interrupted: the session ended before this call was started. It did not run."


def calls_left(projection: Projection) -> list[OpenCall]:
    """The calls of the last answer that have no result."""
    return [call for call in projection.open_calls if not projection.has_result(call.id)]


def close_open_calls(
    projection: Projection, state: SessionState, *, goes_on: bool
) -> list[Interrupted]:
    """Entries that end the calls left; when the turn goes on, only those that were started."""
    return [
        Interrupted(
            call=open_call.id,
            tool=open_call.call.name,
            started=open_call.id in state.started,
            text=_told(open_call.id, state),
        )
        for open_call in calls_left(projection)
        if not goes_on or open_call.id in state.started
    ]


def _told(call: str, state: SessionState) -> str:
    if call not in state.started:
        return _NOT_STARTED
    session = state.delegates.get(call)
    return _STARTED if session is None else _STARTED + _DELEGATE.format(session=session)
