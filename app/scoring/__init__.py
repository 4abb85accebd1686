"""How alike are two texts? Scorers, their combinations, and the index that scores every trigger at once.

A query meets the index as a `ScoredText`; each row of SCORERS keeps its own columns over all triggers and answers
with one array; each row of COMBINERS turns those arrays into one confidence per candidate. Rules S2.1 to S2.13.
"""
