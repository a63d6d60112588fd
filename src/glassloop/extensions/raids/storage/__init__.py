"""The tables of the raid analyst, and all questions asked of them."""
