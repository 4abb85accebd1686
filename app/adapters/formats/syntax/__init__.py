"""Syntax of files: text, and the trees of JSON and YAML."""
