"""Validated settings in sections, and the layers that provide their values."""
