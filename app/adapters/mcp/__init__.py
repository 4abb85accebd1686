"""Powers' servers, spoken to through the MCP client: the one doorway to it."""
