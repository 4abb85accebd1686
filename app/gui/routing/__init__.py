"""The page of routes: decision, matrix, log and measures."""
