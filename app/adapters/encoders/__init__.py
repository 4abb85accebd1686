"""ENCODERS: the models that turn texts into vectors, and what they need."""
