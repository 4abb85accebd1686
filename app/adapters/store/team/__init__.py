"""The library of a team: on PostgreSQL, with a whole copy on each machine."""
