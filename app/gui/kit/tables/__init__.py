"""Tables of many things: models that fetch what is seen, filters, columns that remember their widths."""
