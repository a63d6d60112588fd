"""Analyses over many fights: trends, nights, and profiles that are put side by side."""
