"""What is done with one query beside its answer: why-not, comparison, and what it would surface."""
