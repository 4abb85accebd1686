"""Atomic writes with their journal step and secrets."""
