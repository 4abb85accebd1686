"""An evaluation as text, JSON and gates; begin with report.py."""
