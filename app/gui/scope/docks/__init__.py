"""The panes of the scope as docks: where they lie, how large they are, and how a person arranges them."""
