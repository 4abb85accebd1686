"""The page of memories and what lies beside its table."""
