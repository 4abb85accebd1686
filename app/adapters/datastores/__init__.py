"""Data stores behind the router, one adapter per file, imported when used; see table.py."""
