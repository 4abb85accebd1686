"""Custom drawing and pyqtgraph: canvas, sheets, marks and charts."""
