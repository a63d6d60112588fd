"""Trust in folders: what a folder would decide, and what the user decided about exactly that content."""
