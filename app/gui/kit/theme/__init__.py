"""Theme: tokens, fonts, sizes, icons, and the style sheet."""
