"""The parts of the view that explains why an expected answer did not come."""
