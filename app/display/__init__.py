"""Domain values as words and numbers for window and terminal, without widgets."""
