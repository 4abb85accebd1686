"""Intent detection: keywords.py is the floor, merge.py joins it with the LLM, the ceiling."""
