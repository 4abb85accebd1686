"""Evaluation of answers: evaluate.py runs cases, settings_trials.py under other settings."""
