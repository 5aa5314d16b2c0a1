"""The tools of ours that serve all servers, by name. Nobody else can have these names."""

from __future__ import annotations

__all__ = ["MCP", "MCP_PROMPT", "MCP_READ", "MCP_RESOURCES", "MCP_SEARCH", "MCP_TOOLS"]

MCP = "builtin:mcp"
MCP_SEARCH = "mcp_search"
MCP_RESOURCES = "mcp_resources"
MCP_READ = "mcp_read"
MCP_PROMPT = "mcp_prompt"
MCP_TOOLS: tuple[str, ...] = (MCP_SEARCH, MCP_RESOURCES, MCP_READ, MCP_PROMPT)
