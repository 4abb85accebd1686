"""Powers, their servers and their tools in words."""
