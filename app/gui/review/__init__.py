"""Past queries, the inbox and health."""
