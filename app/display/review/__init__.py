"""History, inbox, replay and health in words."""
