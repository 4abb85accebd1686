"""Why-not (S7.6): where an expected answer is lost, and remedies; see explanation.py."""
