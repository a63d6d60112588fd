"""Durable turns and jobs: running, leasing, recovering, approving and following them."""
