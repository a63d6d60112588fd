"""Tools over many fights: of players, of nights, and of references."""
