"""Services on one query beside its answer: why-not, comparison, and surfacing."""
