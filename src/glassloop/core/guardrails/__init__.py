"""Guardrails: the port that looks at what goes in and out of a turn, and what the loop makes of its decisions."""
