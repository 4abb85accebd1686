"""Trigger index: all enabled triggers, for one query per key press; see trigger_index.py."""
