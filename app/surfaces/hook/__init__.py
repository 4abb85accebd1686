"""Prompt hook of assistants, within its time budget."""
