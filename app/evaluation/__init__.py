"""Quality of answers, pure functions: answers.py judges cases, evaluation.py has METRICS."""
