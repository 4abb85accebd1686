"""Evaluation of answers: begin with evaluations.py; trial_snapshot.py has what is tried."""
