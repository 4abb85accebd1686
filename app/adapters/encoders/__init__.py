"""ENCODERS: models from texts to vectors, and their requirements."""
