"""Where hooks may stand, and the coarse order among them."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["HookBand", "HookPoint"]


class HookPoint(StrEnum):
    """The moments of a session at which a feature may be heard."""

    SESSION_START = "session-start"
    INPUT_SUBMIT = "input-submit"
    TURN_START = "turn-start"
    PRE_REQUEST = "pre-request"
    REQUEST_PARAMETERS = "request-parameters"
    POST_ASSISTANT = "post-assistant"
    PRE_TOOL_CALL = "pre-tool-call"
    SHELL_ENVIRONMENT = "shell-environment"
    POST_TOOL_CALL = "post-tool-call"
    TURN_END = "turn-end"
    BEFORE_REWRITE = "before-rewrite"
    SUMMARY = "summary"
    SESSION_END = "session-end"


class HookBand(StrEnum):
    """Guards are heard before others and observers last; within a band, in the order of the
    registry. There is nothing finer: features cannot outbid each other."""

    GUARD = "guard"
    NORMAL = "normal"
    OBSERVER = "observer"
