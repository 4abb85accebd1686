"""Services: the actions of a user; without screen, disk or network of their own."""
