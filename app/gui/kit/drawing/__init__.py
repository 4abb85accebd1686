"""What is drawn by hand or by pyqtgraph: the canvas, sheets, marks and charts."""
