"""Validated settings: model.py has them all, layers.py where their values come from."""
