"""Commands for what is taught."""
