"""Team library: on PostgreSQL, with a full copy on each machine."""
