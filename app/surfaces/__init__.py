"""Ways in beside the window: one thin function per service call."""
