"""Reading files: their kind, encoding and layout, and their rows as a table of text."""
