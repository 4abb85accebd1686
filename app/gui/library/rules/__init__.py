"""The rules page in its parts: packs, table, editor, live test, and the requests that they send."""
