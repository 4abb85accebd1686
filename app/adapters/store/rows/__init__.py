"""Rows of the library's tables, by kind: written, read, found."""
