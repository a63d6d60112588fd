"""Facts about the project in a workspace, and its own files' guidance for working in it."""
