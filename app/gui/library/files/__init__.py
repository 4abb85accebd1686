"""Files and folders: import and export of the library."""
