"""Validated settings in sections, and the layers that each value comes from."""
