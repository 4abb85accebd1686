"""The engine: one query's way through detection, scoring and the LLM, and the index that it asks."""
