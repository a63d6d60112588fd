"""Commands, held within the workspace."""
