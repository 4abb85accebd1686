"""Processes of other people's programs, kept so that none outlives this one."""
