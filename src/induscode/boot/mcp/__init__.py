"""MCP servers in a session: which there are, what they may, and what becomes of their tools."""
