"""Generator of the sample company."""
