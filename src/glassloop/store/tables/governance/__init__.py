"""Tables of who may use and spend what, and of what was done."""
