"""Page of routing: begin with page.py; each other file is one of its parts."""
