"""Panes of the scope, listed in `PANELS`; the window loops over that table."""
