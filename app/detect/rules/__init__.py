"""Rules as a whole: what they reach, how often they fire, what an edit would change."""
