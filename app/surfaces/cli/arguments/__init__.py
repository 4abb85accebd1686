"""Options of all commands, by feature; parser.py joins them."""
