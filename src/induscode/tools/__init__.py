"""The native tools, and the wrappers that every tool gets.

A tool is a small class that satisfies `kernel.tool.AgentTool` and reaches the world only through
the `ToolContext` of a call. Truncation and validation are wrappers, composed in one visible
expression in `builtin.py`, where reading starts.

May import: errors, kernel, policy. Must not: decide whether a call may happen (the gate does,
before a tool starts), know a model or a session, or raise for a failure the model can act on: that
is a `ToolResult` with `is_error`.
"""
