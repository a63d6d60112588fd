"""Collections over an index: the knowledge base and past conversations."""
