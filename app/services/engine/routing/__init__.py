"""Routing of a query: its stages, its rules and its LLM."""
