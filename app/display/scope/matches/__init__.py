"""Matches as rows, and their confidence as sums that add up."""
