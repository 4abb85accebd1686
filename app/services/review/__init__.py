"""Review services: query history, replay and decisions, and the library's health check."""
