"""Tables of many rows, such as paged lists; begin with table.py, its models are in rows.py."""
