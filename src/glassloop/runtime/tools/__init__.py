"""Tools that any assistant may name in its profile: notes, to-dos, the knowledge base, past conversations, code."""
