"""Benchmark of response times on a generated library."""
