"""Intentscope, a workbench for a hybrid intent detector; __main__ starts, bootstrap joins."""
