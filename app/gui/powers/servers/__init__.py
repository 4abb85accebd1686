"""Powers that run: their server, its tools, calls of them, and what went over the wire."""
