"""MCP over HTTP, on loopback and with a token; server.py serves, guard.py protects."""
