"""History page, and the panes beside its table."""
