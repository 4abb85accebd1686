"""Running powers: server, tools, calls, and wire messages."""
