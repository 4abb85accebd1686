"""PANELS: every pane of the scope as a row; the window is a loop over them and names none."""
