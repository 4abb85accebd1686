"""Domain types of intent detection: frozen values without input, output or user interface."""
