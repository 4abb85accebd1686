"""Settings, encoders, LLM connection, metrics and faults of one profile."""
