"""Tools that find files, text and definitions."""
