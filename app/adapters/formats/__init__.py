"""Files that people have: read record by record, written as they are read."""
