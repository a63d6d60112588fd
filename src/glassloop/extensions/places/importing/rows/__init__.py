"""Rows of each content, checked, and made into rows of the views."""
