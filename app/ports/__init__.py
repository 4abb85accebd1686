"""What the program needs of the outside, in Protocols split by who needs them; no code that runs."""
