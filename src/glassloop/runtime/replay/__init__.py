"""Replay and fork of stored turns."""
