"""Result of a query: its resolution, its trace, and why-not."""
