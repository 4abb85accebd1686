"""Settings page: each setting with its origin, edited in place; begin with page.py."""
