"""Language model servers for tests: one with a real model behind it, and one that breaks on demand."""
