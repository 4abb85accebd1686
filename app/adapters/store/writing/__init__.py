"""Writes with their step in the journal and their secrets: all of it, or nothing."""
