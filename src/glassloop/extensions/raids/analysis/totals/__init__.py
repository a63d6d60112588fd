"""Sums of a fight, and what they tell of its players and their deaths: what the import keeps."""
