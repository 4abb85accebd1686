"""What is taught as rows, cells, edits and sentences."""
