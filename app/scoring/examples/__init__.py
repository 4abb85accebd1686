"""Routing by example: features, votes, and their reliability."""
