"""History, inbox, findings and assistants: a page is a file, or two."""
