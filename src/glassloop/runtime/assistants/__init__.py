"""Assistants: their files, plugins, hooks and commands, and the agents made of them."""
