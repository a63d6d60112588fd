"""The thirty tools."""
