"""Team library on PostgreSQL, with a full copy on each machine; begin with library.py."""
