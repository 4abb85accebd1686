"""What stands in the library's tables, kind by kind: written, read, found."""
