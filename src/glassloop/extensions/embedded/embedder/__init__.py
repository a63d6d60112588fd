"""Embedders: texts to vectors, on this machine or at an OpenAI-compatible endpoint."""
