"""Tools of one fight over all fights of a night."""
