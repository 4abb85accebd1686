"""Models from texts to vectors, one per file, and their requirements; table.py lists them."""
