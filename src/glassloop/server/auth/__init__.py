"""Authentication, cookies, origins and limits: who is asking, and how much they may."""
