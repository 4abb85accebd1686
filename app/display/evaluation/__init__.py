"""Evaluations, comparisons and sweeps in words and figures."""
