"""First sessions: start options of an empty profile, sample queries, and hints."""
