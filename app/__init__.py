"""Intentscope: a workbench that shows how a hybrid intent detector answers a query, and why."""
