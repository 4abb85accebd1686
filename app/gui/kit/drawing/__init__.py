"""What is drawn by hand or by pyqtgraph: the pen, sheets, marks and charts."""
