"""Analysis of rules: their reach, frequency, and the effect of edits."""
