"""Where hooks may stand, and the coarse order among them."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["HookBand", "HookPoint"]


class HookPoint(StrEnum):
    """The moments of a session at which a feature may be heard."""

    SESSION_START = "session-start"
    INPUT_SUBMIT = "input-submit"
    PRE_REQUEST = "pre-request"
    POST_ASSISTANT = "post-assistant"
    PRE_TOOL_CALL = "pre-tool-call"
    POST_TOOL_CALL = "post-tool-call"
    TURN_END = "turn-end"
    BEFORE_REWRITE = "before-rewrite"
    SESSION_END = "session-end"


class HookBand(StrEnum):
    """Guards are heard before others and observers last; within a band, in the order of the
    registry. There is nothing finer: features cannot outbid each other."""

    GUARD = "guard"
    NORMAL = "normal"
    OBSERVER = "observer"
