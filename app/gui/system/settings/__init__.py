"""Settings page: every setting with its origin, edited in place, and the encoder."""
