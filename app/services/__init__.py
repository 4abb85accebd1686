"""Services: the actions of a user, joined in workbench.py; they use ports."""
