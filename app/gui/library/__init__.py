"""Pages of the library: each is a file or a folder with page.py; files/ imports and exports."""
