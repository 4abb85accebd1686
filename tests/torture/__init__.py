"""Attacks on the program, by kind; `python -m tests.torture`."""
