"""What an imported function of the world needs.

Every function is there for every component, so that it can be loaded before anything is granted;
one that was not granted ends the component's call with a fault that names the grant.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["WasmGrant"]


class WasmGrant(StrEnum):
    """The log needs nothing: it only tells."""

    STATE = "state"
    NOTIFY = "notify"
    SEND_MESSAGE = "send-message"
    SET_MODEL = "set-model"
    SET_THINKING = "set-thinking"
    EXEC = "exec"
