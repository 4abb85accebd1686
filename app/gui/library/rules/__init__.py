"""Rules page in its parts: packs, table, editor, live test, and jobs."""
