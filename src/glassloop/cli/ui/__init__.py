"""The terminal: what is written to it, read from it, and how it looks."""
