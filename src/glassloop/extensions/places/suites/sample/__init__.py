"""The places analyst over a sample of a fixed day, for evaluations."""
