"""Views over the panes: two answers side by side, and why-not."""
