"""Files and folders: what comes into the library from them, and what goes out."""
