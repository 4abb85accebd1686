"""Powers that run: started only with a yes, watched, stopped, and tried while they are edited."""
