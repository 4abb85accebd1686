"""File formats for import and export, one per file; table.py lists the readers."""
