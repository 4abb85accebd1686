"""Which data store should answer: rules, kept answers, taught examples and the LLM, with a log."""
