"""The theme in force: tokens, fonts, sizes, icons, and the one style sheet."""
