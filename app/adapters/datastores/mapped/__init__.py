"""Read-only stores over existing documents on a server, through a mapping."""
