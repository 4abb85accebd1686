"""Ollama: the client, its wire, and the circuit before it."""
