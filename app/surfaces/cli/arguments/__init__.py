"""Arguments of all commands, by feature."""
