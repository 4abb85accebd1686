"""The rules page in its parts: packs, table, editor, live test, and the jobs that they send the engine on."""
