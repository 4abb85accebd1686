"""Routing to data stores: rules, cached answers, examples and the LLM, with a log."""
