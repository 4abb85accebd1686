"""Tables of many rows: paged models, filters, columns with persistent widths."""
