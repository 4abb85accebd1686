"""Settings, encoders, the LLM's connection, help and the program itself in words."""
