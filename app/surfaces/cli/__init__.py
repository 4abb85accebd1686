"""Command line: commands.py has a function for each command, arguments/ the options."""
