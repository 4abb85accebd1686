"""Settings, encoders, the LLM's connection, measures and faults of one profile."""
