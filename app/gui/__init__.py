"""The window: the only Qt of the product. It draws what an Inspection holds and works nothing out."""
