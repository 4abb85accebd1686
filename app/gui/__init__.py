"""The window, the only part with Qt; shell/application.py opens it, a folder per feature."""
