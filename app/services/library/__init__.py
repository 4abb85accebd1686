"""Library services: journal.py makes each edit a step, import_export.py reads files."""
