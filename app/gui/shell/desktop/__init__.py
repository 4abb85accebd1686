"""Desktop integration: files, other profiles, notifications, and bug reports."""
