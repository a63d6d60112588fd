"""How well a player used a fight: cooldowns, DoTs, healing, power, and the rotation as a score."""
