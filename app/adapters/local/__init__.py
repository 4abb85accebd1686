"""Local machine: clock, keyring, memory, profile folders and small files."""
