"""Data sets of places and visits: their views, where they are kept, and the database that reads them."""
