"""Stores over documents that others keep on a server: found through a mapping, read and never written."""
