"""Why-not (S7.6): where an expected answer was lost, and what would make it win."""
