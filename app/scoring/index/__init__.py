"""Trigger index: all enabled triggers, for one query per key press."""
