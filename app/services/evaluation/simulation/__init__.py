"""The router simulated: queries under two configurations side by side."""
