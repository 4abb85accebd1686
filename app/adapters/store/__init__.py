"""Library in a SQLite file: the only user of SQLAlchemy; begin with library.py."""
