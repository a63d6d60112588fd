"""Planning, routing, reflection, and references between steps."""
