"""The same over HTTP, on loopback and behind a token."""
