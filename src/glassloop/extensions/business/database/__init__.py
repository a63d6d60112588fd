"""Business data: its tables, its database, and loading it."""
