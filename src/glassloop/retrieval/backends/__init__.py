"""Backends of indexes: files on the disk, or PostgreSQL."""
