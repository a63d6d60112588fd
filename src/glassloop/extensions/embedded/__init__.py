"""Help for small models that run on this machine: a shortlist of tools, and advice by rules."""
