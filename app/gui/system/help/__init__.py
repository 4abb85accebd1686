"""The help in the window: its contents, its pages, what is found in it, and the keys."""
