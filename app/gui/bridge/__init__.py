"""Bridge over the thread boundary between window and engine; pages use jobs.py."""
