"""Evaluations, comparisons and sweeps in words and figures; results.py for the window."""
