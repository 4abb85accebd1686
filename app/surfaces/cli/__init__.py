"""The command line: what each command takes, does and prints."""
