"""Bridge over the thread boundary between window and engine; pages start work through jobs.py."""
