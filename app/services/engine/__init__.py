"""The engine: detection, scoring and LLM of one query, and the index it is scored against."""
