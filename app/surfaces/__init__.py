"""Interfaces beside the window: one thin function per service call."""
