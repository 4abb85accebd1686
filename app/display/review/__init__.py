"""Past queries, the inbox, duplicates and health in words."""
