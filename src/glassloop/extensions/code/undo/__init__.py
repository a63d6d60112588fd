"""Records of what changes replaced, and how they are taken back."""
