"""The engine: query.py is one query's way, index_loader.py what it is scored against."""
