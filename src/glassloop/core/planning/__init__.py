"""Planning, routing, reflection, review of decisions, and references between steps."""
