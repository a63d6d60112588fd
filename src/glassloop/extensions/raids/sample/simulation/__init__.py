"""Fights as they happen: units, players and bosses, and every event as lines and figures."""
