"""The prompt hook of assistants, always in time."""
