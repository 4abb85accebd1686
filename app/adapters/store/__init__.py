"""The library in a SQLite file: the one doorway to SQLAlchemy."""
