"""Quality of answers, pure functions: evaluation.py judges cases, metrics.py measures."""
