"""Domain values as words and numbers: what the window and the terminal both show, and no widgets."""
