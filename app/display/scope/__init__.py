"""One query's answer as rows, bars, sums and sentences."""
