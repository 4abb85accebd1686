"""The parts that pages are made of: tables, lists, sheets, fields, charts and the theme."""
