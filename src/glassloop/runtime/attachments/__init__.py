"""Images and files given with a question: read, bounded, checked against what the model takes."""
