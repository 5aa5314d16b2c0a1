"""Every bound on what a feature may say or keep, by name."""

from __future__ import annotations

__all__ = [
    "ALERTS_MOST",
    "ALERT_CHARACTERS",
    "COMMAND_LINES_MOST",
    "COMMAND_NAME_CHARACTERS",
    "COMMAND_SECONDS",
    "DESCRIPTION_CHARACTERS",
    "DESCRIPTOR_BYTES",
    "DIAGNOSTICS_MOST",
    "DIAGNOSTIC_CHARACTERS",
    "ENVIRONMENT_BYTES",
    "FRAGMENT_CHARACTERS",
    "HOOK_SECONDS",
    "HOOK_TEXT_CHARACTERS",
    "INSTALL_SECONDS",
    "NOTICES_MOST",
    "NOTICE_CHARACTERS",
    "PARAMETERS_BYTES",
    "RESTARTS_MOST",
    "RESTART_SECONDS",
    "SCHEMA_BYTES",
    "SHUTDOWN_SECONDS",
    "SKIPPED_MOST",
    "TASKS_MOST",
    "TASK_CHECK_SECONDS",
    "TEXT_CHARACTERS",
]

TEXT_CHARACTERS = 500
"""Of a display name, a reason, a description for people."""

DESCRIPTION_CHARACTERS = 8_000
"""Of a tool's description for the model."""

COMMAND_NAME_CHARACTERS = 100
"""Of what is typed after the slash. Letters of any script, `:` and `.` are fine."""

DESCRIPTOR_BYTES = 256 * 1024
"""Of a descriptor, as JSON."""

SCHEMA_BYTES = 32 * 1024
"""Of a tool's JSON schema."""

FRAGMENT_CHARACTERS = 4_000
"""Of a piece of the system prompt."""

NOTICE_CHARACTERS = 8_000
"""Of one model notice; the rest is kept in a file that the notice names."""

NOTICES_MOST = 100
"""Of one feature in one session."""

ALERT_CHARACTERS = 500
ALERTS_MOST = 200
DIAGNOSTIC_CHARACTERS = 500
DIAGNOSTICS_MOST = 100
"""Kept per feature; further ones are counted."""

SKIPPED_MOST = 100
"""Contributions told in a report that were never declared or came twice; further are left out."""

TASKS_MOST = 8
"""Background tasks that run at the same time."""

TASK_CHECK_SECONDS = 5.0
"""How often a running task's grants are looked at again."""

RESTARTS_MOST = 10
RESTART_SECONDS = 300.0
"""The longest wait before a failed task is started again, and how often that is done at most,
whatever its policy says."""

HOOK_TEXT_CHARACTERS = 400_000
"""Of a text that a hook puts in the place of another, or adds."""

PARAMETERS_BYTES = 16 * 1024
"""Of the parameters that a hook changes at once, as JSON."""

ENVIRONMENT_BYTES = 32 * 1024
"""Of the variables that a hook sets at once, as JSON."""

HOOK_SECONDS = 30.0
INSTALL_SECONDS = 10.0
SHUTDOWN_SECONDS = 5.0
COMMAND_SECONDS = 120.0
COMMAND_LINES_MOST = 100
"""Lines for the shell that a command runs each time it is typed; their time does not count as
its own."""
