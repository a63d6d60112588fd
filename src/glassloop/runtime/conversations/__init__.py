"""Past conversations: their index, search and titles."""
