"""Building blocks of pages: tables, lists, sheets, fields, charts and the theme."""
