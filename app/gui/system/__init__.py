"""Pages of the program: settings (with encoder and LLM), metrics, and help (with keys)."""
