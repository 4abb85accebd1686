"""The trigger index: every trigger of what is enabled, answering one keystroke at a time."""
