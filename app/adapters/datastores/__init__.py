"""Data stores behind the router, one adapter per file, imported only where used."""
