"""Probes that find out what a model can do by asking it, in a few short calls."""
