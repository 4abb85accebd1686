"""Query history, replay, recorder and health check of the library; begin with history.py."""
