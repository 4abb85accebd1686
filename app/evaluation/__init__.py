"""How good are the answers? Answered cases, metrics, occupancy of bands and tiers, gates and reports; pure."""
