"""Pure functions from a fight (and what is known of the game) to figures: what tools and the import count with."""
