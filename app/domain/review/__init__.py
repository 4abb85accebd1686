"""What is looked back at: past queries, kept evaluations, health and duplicates."""
