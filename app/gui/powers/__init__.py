"""Powers in the window: editing, running, and tool calls; begin with page.py."""
