"""What a user can do, in the user's verbs; no screen, no disk, no network of its own."""
