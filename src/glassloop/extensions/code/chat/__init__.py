"""The conversation about code: memory, HTTP, events."""
