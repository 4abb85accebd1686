"""What was asked before, replayed and decided, and how healthy the library is."""
