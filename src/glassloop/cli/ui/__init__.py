"""Terminal: output, input, and appearance."""
