"""MCP over HTTP, on loopback and behind a token."""
