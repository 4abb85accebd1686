"""The page of cases: labelled queries, edited in place, and put to the engine of today."""
