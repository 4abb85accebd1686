"""The first minutes: what an empty profile offers, queries to try, and a line that points at what comes next."""
