"""Settings, the LLM's connection, metrics, help and keys."""
