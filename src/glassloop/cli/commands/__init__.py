"""The commands: their options, and what they do. What they work with is imported when they run."""
