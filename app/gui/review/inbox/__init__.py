"""Inbox: queries that wait for a decision, each decided with one key."""
