"""Services on one query beside its answer: why-not, edit previews, surfacing, word importance."""
