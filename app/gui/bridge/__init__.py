"""Bridge over the thread boundary between window and engine."""
