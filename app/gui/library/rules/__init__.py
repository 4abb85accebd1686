"""Page of rules: begin with page.py; editor.py has the live test."""
