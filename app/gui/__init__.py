"""The window, the only part with Qt: it draws an Inspection and computes nothing itself."""
