"""The one way over the thread boundary between the window and the engine."""
