"""Quality of the answers: answered cases, metrics, bands and tiers, gates and reports."""
