"""Scorers, each with a column over all triggers."""
