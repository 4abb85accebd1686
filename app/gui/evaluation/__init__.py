"""Page of evaluation: figures, lists, comparisons and sweeps."""
