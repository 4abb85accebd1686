"""Views over the panes: ask all, two answers side by side, and why-not."""
