"""Combat logs and Warcraft Logs JSON to fights: reads files, knows no store."""
