"""Conversations with the product's own assistants, played through the runtime with their real tools."""
