"""Settings, encoders and LLM connection of a profile; assistants' configuration; checkup."""
