"""Adapters, one file per external system: each implements a port and converts errors."""
