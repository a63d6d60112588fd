"""Processes of ours that do one kind of work for a server."""
