"""Past queries, library health and duplicates, and the router's alerts."""
