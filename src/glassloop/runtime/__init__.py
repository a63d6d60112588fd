"""The runtime: assistants, durable turns, extensions and settings put together."""
