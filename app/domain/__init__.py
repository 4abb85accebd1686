"""The nouns of intent detection: frozen values that know nothing of screens, disks or networks."""
