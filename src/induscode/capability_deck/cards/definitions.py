"""The app cards as models read them."""

from __future__ import annotations

from induscode.tools.definition import WORD, ToolDefinition, arguments_object, one_of

__all__ = [
    "BG_PROCESS",
    "ENTER_PLAN_MODE",
    "EXIT_PLAN_MODE",
    "MEMORY",
    "SAAS_ACTION",
    "TASK",
    "TODO",
]


TODO = ToolDefinition(
    "todo",
    "Weighted checklist",
    "A second checklist, with weights, for plans that todo_set is too plain for. read shows it; "
    "set replaces all of it.",
    arguments_object(
        "action",
        action=one_of("read", "set"),
        items={
            "type": "array",
            "maxItems": 100,
            "items": arguments_object(
                "text",
                text={"type": "string", "minLength": 1, "maxLength": 500},
                state=one_of("pending", "active", "done", "dropped"),
                weight=one_of("low", "normal", "high"),
            ),
        },
    ),
)

BG_PROCESS = ToolDefinition(
    "bg-process",
    "Background process",
    "Start a command in the background, poll what it said since the last poll (output and errors "
    "apart), stop it, or list them. It ends with the session unless detached.",
    arguments_object(
        "action",
        action=one_of("start", "poll", "stop", "list"),
        command=WORD,
        id=WORD,
        cwd=WORD,
        detached={"type": "boolean"},
    ),
)

TASK = ToolDefinition(
    "task",
    "Delegate",
    "Hand a self-contained piece of work to another agent and get its answer. It sees only the "
    "objective and the context you give.",
    arguments_object("objective", objective=WORD, agent=WORD, context=WORD),
)

SAAS_ACTION = ToolDefinition(
    "saas-action",
    "Connector",
    "Call services the user configured. discover lists operations that fit query, or with slug "
    "shows one with its schema; execute calls slug with arguments.",
    arguments_object(
        "action",
        action=one_of("discover", "execute"),
        slug=WORD,
        arguments={"type": "object", "description": "by name; a request body as `body`"},
        query={**WORD, "description": "words to rank by"},
    ),
)

MEMORY = ToolDefinition(
    "memory",
    "Memory",
    "Notes (Markdown) that outlive this conversation: read them, replace all of them, or append. "
    "For lasting facts and wishes, never secrets.",
    arguments_object(
        "action",
        action=one_of("read", "replace", "append"),
        content={"type": "string"},
        scope={**one_of("workspace", "user"), "description": "workspace unless given"},
    ),
)

ENTER_PLAN_MODE = ToolDefinition(
    "enter_plan_mode",
    "Enter plan mode",
    "Say that you will explore and plan before you change anything.",
    arguments_object(),
    read_only=True,
)

EXIT_PLAN_MODE = ToolDefinition(
    "exit_plan_mode",
    "Exit plan mode",
    "Present your plan (Markdown) for the user to approve before you carry it out.",
    arguments_object("plan", plan=WORD),
    read_only=True,
)
