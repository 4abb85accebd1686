"""How fast answers come, measured on a library that is made up."""
