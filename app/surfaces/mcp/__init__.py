"""The engine as an MCP server for assistants."""
