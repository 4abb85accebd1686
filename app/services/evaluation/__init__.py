"""How good the answers are: cases run, compared, swept, calibrated, and timed."""
