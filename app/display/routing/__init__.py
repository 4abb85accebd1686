"""Routes, their path, log and measures in words."""
