"""Search in the code of workspaces: their files, ignore rules, and changes."""
