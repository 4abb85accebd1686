"""The database schema, in schema.py, and its migrations."""
