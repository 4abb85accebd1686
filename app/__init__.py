"""Intentscope: type a query and see what a hybrid intent detector makes of it, and why."""
