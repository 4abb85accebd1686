"""What the terminal takes: every command with its options, by the feature it belongs to."""
