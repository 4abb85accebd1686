"""The rules page in its parts: packs, table, editor, live test, and the errands that they send the engine on."""
