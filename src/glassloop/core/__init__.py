"""The core: the loop and its values. Pure; it knows no provider, no store and no server."""
