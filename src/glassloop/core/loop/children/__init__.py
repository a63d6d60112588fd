"""Child turns: sub-agents at work inside the turn that asked them."""
