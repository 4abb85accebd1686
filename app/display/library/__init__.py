"""Library content as rows, cells, edits and sentences."""
