"""HTTP itself: routes, responses, errors, event streams, the connection."""
