"""Larger views of what commands found."""
