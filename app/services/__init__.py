"""Services: the actions of a user, joined in workbench.py; they reach disk and network by ports."""
