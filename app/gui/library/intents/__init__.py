"""Page of intents: counts, precision and recall; renaming, merging and thresholds."""
