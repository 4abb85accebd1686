"""The window itself: pages, actions, palette, docks and the line at the bottom."""
