"""What kind of project a workspace is, and what its own files say about working in it."""
