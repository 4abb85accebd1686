"""Answer of one query as rows, bars, sums and sentences."""
