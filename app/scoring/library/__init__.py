"""Relations among stored texts: duplicates, misleading triggers, leave-one-out."""
