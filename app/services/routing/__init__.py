"""Routing to data stores by rules, cache, examples and LLM, with a log; see routes.py."""
