"""Similarity of texts: scorers, their combinations, and the index over all triggers.

A query is a `ScoredText`; each scorer of SCORERS has a column over all triggers and returns one array; each row of
COMBINERS turns those arrays into one confidence per candidate. Rules S2.1 to S2.13.
"""
