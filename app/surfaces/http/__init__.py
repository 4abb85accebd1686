"""MCP over HTTP, on loopback and with a token."""
