"""Page of memories and the panes beside its table."""
