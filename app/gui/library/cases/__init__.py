"""Page of cases: labelled queries, edited in place and run against the present engine."""
