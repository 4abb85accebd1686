"""Powers: what they are, how they run, and calls of their tools."""
