"""Settings, encoders, LLM connection, help and program information in words."""
