"""The window: begin with main_window.py; page_stack.py lists the pages."""
