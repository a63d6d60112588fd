"""Indexes: the library of them, their sources, and writing documents into them."""
