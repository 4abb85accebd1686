"""Results of an evaluation as tables, curves and gates."""
