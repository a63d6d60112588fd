"""Tools that review one fight as it was: everybody in it, abilities, buffs, deaths, activity."""
