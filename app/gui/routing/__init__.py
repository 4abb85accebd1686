"""Page of routes: decision, matrix, log and metrics."""
