"""The twelve native tools as models read them, all of them here so that their size can be seen.

Every word is paid for in each request: say what a good call needs, and nothing else.
"""

from __future__ import annotations

from induscode.tools.definition import WORD, ToolDefinition, arguments_object, one_of
from induscode.tools.limits import (
    COMMAND_SECONDS,
    COMMAND_SECONDS_MOST,
    LISTED_NAMES,
    READ_LINES,
)
from induscode.tools.search.limits import MATCHES
from induscode.tools.web.limits import FETCH_BYTES_MOST, SEARCH_RESULTS_MOST

__all__ = [
    "BASH",
    "EDIT",
    "FIND",
    "GREP",
    "LS",
    "PROCESS",
    "READ",
    "TODO_READ",
    "TODO_SET",
    "WEBFETCH",
    "WEBSEARCH",
    "WRITE",
]

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 1}
_YES_NO = {"type": "boolean"}
_PLACE = {"type": "string", "minLength": 1, "description": "the working directory unless given"}


READ = ToolDefinition(
    "read",
    "Read",
    "Read a file. Lines come numbered (number, tab, text); do not copy the numbers into edits. "
    f"Up to {READ_LINES} lines from offset unless limit is given. Pictures (png, jpg, gif, webp) "
    "are shown, notebooks as cells, which offset and limit then count.",
    arguments_object(
        "path",
        path={**WORD, "description": "absolute, or from the working directory"},
        offset={**_COUNT, "description": "first line, from 1"},
        limit={**_COUNT, "description": "number of lines"},
    ),
    read_only=True,
)

LS = ToolDefinition(
    "ls",
    "List",
    f"List a directory, hidden names too; directories end with '/'. Up to {LISTED_NAMES:,} names.",
    arguments_object(path=_PLACE),
    read_only=True,
)

GREP = ToolDefinition(
    "grep",
    "Search",
    "Search file contents for a regular expression (ripgrep syntax). Ignored, binary and forbidden "
    "files are passed over. mode: content gives lines, files only names, count lines per file. "
    f"Stops at {MATCHES} unless limit is given.",
    arguments_object(
        "pattern",
        pattern=WORD,
        path={**WORD, "description": "file or directory"},
        glob={**WORD, "description": "*.py, src/**, !*.md"},
        type={**WORD, "description": "file type: py, rust, md"},
        mode=one_of("content", "files", "count"),
        context={"type": "integer", "minimum": 0, "description": "lines around each match"},
        ignore_case=_YES_NO,
        literal={**_YES_NO, "description": "no regular expression"},
        multiline={**_YES_NO, "description": "a match, and ., may span lines"},
        limit=_COUNT,
    ),
    read_only=True,
)

FIND = ToolDefinition(
    "find",
    "Find",
    "Find files and directories by name, part of a path, or glob (*.py, src/**/test_*); ignored "
    "ones are passed over. Best first, with a glob by path.",
    arguments_object(
        "query",
        query=WORD,
        path=_PLACE,
        type=one_of("file", "directory"),
        limit=_COUNT,
    ),
    read_only=True,
)

WEBSEARCH = ToolDefinition(
    "websearch",
    "Web search",
    "Search the web: titles, addresses and excerpts. webfetch reads a result.",
    arguments_object("query", query=WORD, limit={**_COUNT, "maximum": SEARCH_RESULTS_MOST}),
    read_only=True,
)

WEBFETCH = ToolDefinition(
    "webfetch",
    "Fetch URL",
    "Fetch a web page (http or https) as readable Markdown, or a text file as it is. "
    "A redirect to another host is told, not followed; private addresses are refused.",
    arguments_object("url", url=WORD, max_bytes={**_COUNT, "maximum": FETCH_BYTES_MOST}),
    read_only=True,
)

TODO_READ = ToolDefinition(
    "todo_read",
    "Checklist",
    "Read the checklist of this session.",
    arguments_object(),
    read_only=True,
)

WRITE = ToolDefinition(
    "write",
    "Write",
    "Create a file or replace its whole content; missing directories are made. "
    "Read a file before you replace it. To change part of one, use edit.",
    arguments_object("path", "content", path=WORD, content=_TEXT),
)

_PAIR = {"old_text": _TEXT, "new_text": _TEXT}

EDIT = ToolDefinition(
    "edit",
    "Edit",
    "Replace text in a file that you have read. old_text must match the file exactly, white space "
    "included, and stand there once unless replace_all; give enough lines around it. Several "
    "replacements go in edits, applied in order, all or none.",
    arguments_object(
        "path",
        path=WORD,
        **_PAIR,
        replace_all=_YES_NO,
        edits={
            "type": "array",
            "minItems": 1,
            "items": arguments_object("old_text", "new_text", **_PAIR),
        },
    ),
)

BASH = ToolDefinition(
    "bash",
    "Bash",
    "Run a command line with bash and wait for it; output and errors come together. "
    f"timeout is in seconds: {COMMAND_SECONDS:.0f} unless given, at most "
    f"{COMMAND_SECONDS_MOST:.0f}. Each call starts anew in the working directory, or in cwd. "
    "What it leaves running is ended.",
    arguments_object(
        "command",
        command=WORD,
        timeout={"type": "number", "exclusiveMinimum": 0},
        cwd=WORD,
    ),
)

PROCESS = ToolDefinition(
    "process",
    "Process",
    "Run a long-lived command (a server, a watcher) beside the conversation. start gives its id, "
    "when all of ready is true: output matches, port accepts, url (http, localhost) answers. "
    "status and wait show its output since the last look; stop ends it and all it started. "
    "timeout is in seconds, 30 unless given. It ends with the session unless detached.",
    arguments_object(
        "action",
        action=one_of("start", "status", "wait", "stop", "list"),
        command=WORD,
        id=WORD,
        cwd=WORD,
        ready={
            **arguments_object(
                output={**WORD, "description": "regular expression"},
                port={**_COUNT, "maximum": 65535},
                url=WORD,
            ),
            "minProperties": 1,
        },
        timeout={"type": "number", "exclusiveMinimum": 0},
        detached=_YES_NO,
    ),
)

TODO_SET = ToolDefinition(
    "todo_set",
    "Checklist",
    "Replace the checklist of this session with items. Use it for work of several steps; keep one "
    "item in progress.",
    arguments_object(
        "items",
        items={
            "type": "array",
            "maxItems": 100,
            "items": arguments_object(
                "text",
                text={"type": "string", "minLength": 1, "maxLength": 500},
                status=one_of("pending", "in_progress", "done"),
            ),
        },
    ),
)
