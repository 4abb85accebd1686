"""Every setting with its origin, changed in place, and the encoder among them."""
