"""The store of one profile: Protocols of a few methods, each for who needs them, and Library, their sum."""
