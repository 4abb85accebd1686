"""Pages of the program: settings/ (with encoder and LLM), metrics.py, help/ (with keys)."""
