"""Routes, their path, log and metrics in words."""
