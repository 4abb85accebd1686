"""Evaluation of answers: run cases, compare, sweep, calibrate and measure times."""
