"""Queries: parsing, scoring, fusion of scores, and the choice of passages."""
