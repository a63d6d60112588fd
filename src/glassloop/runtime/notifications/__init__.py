"""Notifications to an address that a user chose: what is sent, when, and how it is delivered."""
