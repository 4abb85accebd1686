"""What a query comes to: its resolution, its trace, and why not."""
