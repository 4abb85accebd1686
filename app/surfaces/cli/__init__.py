"""Command line: commands/ has a row and a function for each command, parser.py reads them."""
