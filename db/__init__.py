"""The shape of the disk, and how it came to be."""
