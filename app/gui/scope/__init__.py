"""Scope: the query line, its panes, and the views over them; begin with page.py."""
