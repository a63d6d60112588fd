"""The code assistant in a terminal: `glassloop code` and `glassloop undo`."""
