"""A generator of combat logs that knows what is in them."""
