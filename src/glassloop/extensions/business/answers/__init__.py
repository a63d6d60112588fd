"""Business tools that need more than a listing."""
