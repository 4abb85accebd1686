"""Command line: parsing, actions and output of each command."""
