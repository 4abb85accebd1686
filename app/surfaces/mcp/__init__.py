"""MCP server of the engine for assistants: server.py serves, tools.py has the tools."""
