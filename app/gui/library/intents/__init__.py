"""The page of intents: their counts, precision and recall, and renaming, merging and thresholds."""
