"""Projections: folds of a turn's events into responses, traces and states."""
