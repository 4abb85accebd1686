"""MCP server of the engine for assistants."""
