"""Help in the window: contents, pages, search, and keys; begin with page.py."""
