"""Evaluation of answers: evaluate.py runs cases, evaluations.py under other settings."""
