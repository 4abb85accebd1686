"""What does the user want? Keywords (the floor), tiers and, in time, the LLM (the ceiling), the merge and the route."""
