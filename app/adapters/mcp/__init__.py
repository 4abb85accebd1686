"""Servers of powers through the MCP client, only used here; begin with runner.py."""
