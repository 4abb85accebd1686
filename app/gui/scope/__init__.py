"""The scope: the query line, its panes, and the views that lie over them."""
