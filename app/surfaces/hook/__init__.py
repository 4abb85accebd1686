"""Prompt hook of assistants, within its time budget; begin with entry.py."""
