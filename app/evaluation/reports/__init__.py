"""What an evaluation found, as tables, curves and gates."""
