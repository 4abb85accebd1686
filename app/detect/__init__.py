"""Intent detection: keywords (the floor), tiers, the LLM (the ceiling), merge and route."""
