"""What changes replaced, and how they are taken back."""
