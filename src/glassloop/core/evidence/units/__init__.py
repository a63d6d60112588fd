"""Units of figures and of labels, and how numbers are written."""
