"""Programs run for tools: their process group and pipes."""
