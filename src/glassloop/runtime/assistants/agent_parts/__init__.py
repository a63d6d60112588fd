"""Parts of `Agent`: its inputs, its history, its lifetime, and the event loop of callers without one."""
