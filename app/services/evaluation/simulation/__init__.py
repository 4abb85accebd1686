"""Simulation of the router: queries under two configurations side by side."""
