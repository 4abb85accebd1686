"""The page of past queries and what lies beside its table."""
