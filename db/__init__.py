"""The database schema and its migrations."""
