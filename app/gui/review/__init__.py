"""History, inbox and health pages."""
