"""The use that a player made of a fight: cooldowns, DoTs, healing, power, and the rotation as a score."""
