"""Protocols of the program's dependencies, split by consumer; no code that runs."""
