"""Tolerant readers of what models write: JSON with mistakes, think tags, calls written as text."""
