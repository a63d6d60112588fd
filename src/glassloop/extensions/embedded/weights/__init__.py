"""Weights of models that run here: what they are, where they come from, and the folder they are kept in."""
