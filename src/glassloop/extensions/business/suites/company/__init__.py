"""The business assistant over a company that never changes."""
