"""The scorers, each a column over all triggers at once."""
