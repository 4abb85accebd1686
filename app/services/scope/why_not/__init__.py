"""Why-not (S7.6): the stage that loses an expected answer, and changes that make it win."""
