"""Event bus: live fan-out of a turn's events to those who watch it. `local` is one process, `postgres` any number of
them.
"""
