"""Live fan-out: who runs a turn tells those who watch it. `local` is one process, `postgres` any number of them."""
