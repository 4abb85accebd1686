"""What the taught texts are to one another: duplicates, misleading triggers, leave-one-out."""
