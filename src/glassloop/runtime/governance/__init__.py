"""Governance: who may use what, and spend how much."""
