"""Services on one query: why-not, edit previews, surfacing, word importance."""
