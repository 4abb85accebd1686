"""Child processes of other programs, none of which outlives this one; see child.py."""
