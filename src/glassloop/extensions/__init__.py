"""Extensions of our own: what a kernel does not need, each in a folder that no other imports."""
