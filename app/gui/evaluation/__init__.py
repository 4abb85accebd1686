"""Page of evaluation: begin with page.py; each other file is one of its parts."""
