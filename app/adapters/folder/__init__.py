"""Library as a folder of readable texts under version control."""
