"""The window: pages, actions, palette, menu and status line."""
