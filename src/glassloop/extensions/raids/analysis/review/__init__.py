"""A player's part in one fight: abilities, activity, buffs."""
