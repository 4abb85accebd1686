"""Routing by example: features, votes, and how far to trust them."""
