"""Panes of the scope as docks: positions, sizes, and the user's arrangement."""
