"""The page of evaluation: figures, lists, comparisons and sweeps."""
