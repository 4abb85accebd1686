"""Result of a query (begin with inspection.py), why-not, and the weights of `learned`."""
