"""Settings, LLM connection, metrics, help and keys."""
