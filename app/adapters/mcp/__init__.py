"""Servers of powers through the MCP client, which is only used here."""
