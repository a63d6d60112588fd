"""Schedules: turns that start at a time, again and again, or until a condition holds."""
