"""Imports as jobs: a process that reads a log, and the parent that stores what it finds."""
