"""Words with the same meaning, mistyped words, and the terms a text is matched by."""
