"""Ollama: the client and its wire."""
