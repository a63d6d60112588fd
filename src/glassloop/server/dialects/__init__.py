"""The shapes other clients know, each a thin projection of a turn's events."""
