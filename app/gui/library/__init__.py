"""Pages of the library, each a folder with page.py; files/ imports and exports."""
