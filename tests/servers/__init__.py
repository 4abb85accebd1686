"""Language model servers for tests: one with a real model, and one with faults on demand."""
