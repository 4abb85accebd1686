"""Past queries, stored evaluations, library health and duplicates."""
