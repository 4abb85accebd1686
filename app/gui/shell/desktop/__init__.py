"""The window among others: files it is given, other profiles, notices, and reports of what went wrong."""
