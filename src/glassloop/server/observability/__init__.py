"""Logs, metrics and spans: what operators see of a process."""
